"""What this package uses of ``typing`` on the way of a run. Importing the module itself takes as long as a call of git.

Type checkers read the first half; the second one is what the names need at run time.
"""

__all__ = [
    "IO",
    "TYPE_CHECKING",
    "Any",
    "ClassVar",
    "NoReturn",
    "Protocol",
    "Self",
    "TextIO",
    "assert_never",
    "dataclass_transform",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any, ClassVar, NoReturn, Protocol, Self, TextIO, assert_never, dataclass_transform
else:
    Any = NoReturn = Protocol = Self = TextIO = object
    ClassVar = IO = tuple  # something that takes an argument in brackets

    def dataclass_transform(**_: bool) -> object:
        """Return a decorator that changes nothing."""
        return lambda kind: kind

    def assert_never(value: object) -> None:
        """Raise: type checkers prove that no value gets here."""
        raise AssertionError(f"there is no case for {value!r}")
