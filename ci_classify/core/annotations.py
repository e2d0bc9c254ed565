"""What this package uses of ``typing`` on the way of a run. Importing the module itself takes as long as a call of git.

Type checkers read the first half; the second one is what the names need at run time.
"""

__all__ = [
    "TYPE_CHECKING",
    "Any",
    "ClassVar",
    "NoReturn",
    "Protocol",
    "TextIO",
    "TypeVar",
    "assert_never",
    "dataclass_transform",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, NoReturn, Protocol, TextIO, TypeVar, assert_never, dataclass_transform
else:
    Any = NoReturn = Protocol = TextIO = object
    ClassVar = tuple  # something that takes an argument in brackets

    class TypeVar:
        """Stands for a type in annotations that nothing reads."""

        def __init__(self, name: str, *, bound: object = None) -> None:
            """Take what a type checker reads."""

    def dataclass_transform(**_: bool) -> object:
        """Return a decorator that changes nothing."""
        return lambda kind: kind

    def assert_never(value: object) -> None:
        """Raise: type checkers prove that no value gets here."""
        raise AssertionError(f"there is no case for {value!r}")
