"""Frozen values with named fields.

A ``Record`` is written and checked like a frozen, keyword-only dataclass (type checkers read it as one). It exists
because a detector's start is paid in every workflow run: making a dataclass generates and compiles code when
its module is imported, about half a millisecond each, and a run imports fifty.

Refuses: methods beyond construction, equality, hash and repr; mutable defaults are the author's mistake.
"""

from ci_classify.core.annotations import TYPE_CHECKING, Any, ClassVar, dataclass_transform


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Record:
    """Base of values: fields are the annotated names, in order; a value in the class body is a default."""

    _fields: ClassVar[tuple[str, ...]] = ()
    _names: ClassVar[frozenset[str]] = frozenset()
    __match_args__ = ()

    def __init_subclass__(cls) -> None:
        """Read the fields of a new kind of value."""
        own = (name for name in cls.__annotations__ if name[0] != "_" and name not in cls._fields)
        cls._fields = (*cls._fields, *own)
        cls._names = frozenset(cls._fields)

    def __init__(self, **values: Any) -> None:
        """Set every field, or raise TypeError for a missing or unknown one."""
        mine = self.__dict__
        mine.update(values)
        if mine.keys() != self._names:
            for name in self._fields:
                if name not in mine and hasattr(type(self), name):
                    mine[name] = getattr(type(self), name)
            wrong = set(self._fields) ^ mine.keys()
            if wrong:
                raise TypeError(f"{type(self).__name__}: missing or unknown: {', '.join(sorted(wrong))}")

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a value never changes."""
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __delattr__(self, name: str) -> None:
        """Refuse: a value never changes."""
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        """Compare kind and fields."""
        return type(self) is type(other) and self._values() == other._values()

    def __hash__(self) -> int:
        """Hash the fields."""
        return hash(self._values())

    def __repr__(self) -> str:
        """Show kind and fields."""
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields)
        return f"{type(self).__name__}({shown})"

    def _values(self) -> tuple[object, ...]:
        mine = self.__dict__
        return tuple([mine[name] for name in self._fields])


if TYPE_CHECKING:
    from typing import TypeVar

    R = TypeVar("R", bound=Record)


def replaced(record: "R", **values: Any) -> "R":
    """Return a record with some fields of another value."""
    return type(record)(**{**{name: getattr(record, name) for name in record._fields}, **values})
