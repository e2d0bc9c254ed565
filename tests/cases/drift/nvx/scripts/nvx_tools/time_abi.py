"""The clock that guests see."""

from pathlib import Path

PROBE = Path(__file__).with_name("host_time_probe.rs")


def probe() -> str:
    return PROBE.read_text(encoding="utf-8")
