"""Texts that a person has looked at, as plain files in tests/snapshots. ``pytest --snapshot-update`` rewrites them."""

from dataclasses import dataclass
from pathlib import Path

DIRECTORY = Path(__file__).resolve().parents[1] / "snapshots"


@dataclass(frozen=True)
class Snapshots:
    """The stored texts; ``update`` stores what comes instead of comparing it."""

    update: bool

    def check(self, name: str, text: str) -> None:
        """Compare a text with the stored one."""
        path = DIRECTORY / name
        if self.update:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text.encode())
        assert path.read_bytes().decode() == text, f"{name} differs; look at it, then run pytest --snapshot-update"
