"""``ci-classify canary report``: how often a skip would have hidden a failure, over many runs."""

from pathlib import Path

from ci_classify.commands.exits import FINDINGS, OK, UsageError
from ci_classify.core.canary import add_up
from ci_classify.core.record import Record
from ci_classify.edges import console, files
from ci_classify.formats.canary_file import read_canary
from ci_classify.render.canaries import totals_json, totals_text


class CanaryReportRequest(Record):
    """The options of the command, as given."""

    files: tuple[str, ...]
    as_json: bool = False


def run(request: CanaryReportRequest) -> int:
    """Add records up; 1 if any skip would have been unsafe."""
    records = []
    for name in request.files:
        try:
            records.append(read_canary(files.read(Path(name)), name))
        except files.FileProblemError as error:
            raise UsageError(str(error), "name records of canaries") from None
    totals = add_up(records)
    console.write(totals_json(totals) if request.as_json else totals_text(totals))
    return FINDINGS if totals.unsafe else OK
