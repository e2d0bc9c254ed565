"""Minutes per job: ``{"job": 12.5}``, or a list of samples for each job."""

from ci_classify.formats.json_values import read_json, wrong

_LONGEST = 1_000_000  # about two years
_HELP = 'write {"job": 12.5}, or {"job": [11, 12.5]}, in minutes'


def read_durations(content: bytes, file: str) -> dict[str, tuple[float, ...]]:
    """Return the samples of each job, or raise InvalidFileError."""
    value = read_json(content, file, _HELP)
    if not isinstance(value, dict) or not value:
        wrong(file, "this is no object of jobs and minutes", _HELP)
    found = {}
    for job, minutes in value.items():
        samples = minutes if isinstance(minutes, list) else [minutes]
        for sample in samples or [None]:
            number = isinstance(sample, int | float) and not isinstance(sample, bool)
            if not number or not 0 <= sample <= _LONGEST:
                wrong(file, f"the minutes of {job!r} are {str(minutes)[:40]}", _HELP)
        found[job] = tuple(float(sample) for sample in samples)
    return found
