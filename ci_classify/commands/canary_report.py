"""``ci-classify canary report``: how often a skip would have hidden a failure, over many runs."""

from ci_classify.commands.exits import FINDINGS, OK
from ci_classify.commands.given import read_given
from ci_classify.core.canary import add_up
from ci_classify.core.record import Record
from ci_classify.edges import console
from ci_classify.formats.canary_file import read_canary
from ci_classify.render.canaries import totals_json, totals_text


class CanaryReportRequest(Record):
    """The options of the command, as given."""

    files: tuple[str, ...]
    as_json: bool = False


def run(request: CanaryReportRequest) -> int:
    """Add records up; 1 if any skip would have been unsafe."""
    totals = add_up([read_canary(read_given(name, "records of canaries"), name) for name in request.files])
    console.write(totals_json(totals) if request.as_json else totals_text(totals))
    return FINDINGS if totals.unsafe else OK
