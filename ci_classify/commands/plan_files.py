"""The files in which a step of a job leaves a plan: outputs for other jobs, a summary for people."""

from ci_classify.commands import showing
from ci_classify.commands.classifying import Classified
from ci_classify.edges import files, github
from ci_classify.render.markdown import MAX_SUMMARY_BYTES, summary
from ci_classify.render.outputs import output_lines


def write_outputs(classified: Classified, here: github.Runner) -> bool:
    """Write all outputs in one append; whether they are written whole."""
    if here.output is None:
        if here.in_ci:
            showing.error("GITHUB_OUTPUT is not set, so that no output can be written; run this as a step of a job.")
        return not here.in_ci
    lines = output_lines(classified.plan)
    if lines is None:
        what = "what their canary records" if classified.plan.canary else "what could be their names"
        showing.error(f"The outputs can't be written: {what} is too much for a plan.")
        return False
    try:
        files.append(here.output, lines)
    except files.FileProblemError as error:
        showing.error(f"The outputs can't be written: {error}.")
        return False
    return True


def write_summary(classified: Classified, here: github.Runner) -> None:
    """Add a plan to the job's summary; where that can't be, it is said and nothing else."""
    if here.summary is None:
        return
    try:
        used = files.size(here.summary)
        gap = b"\n" if used else b""  # a table begins behind an empty line
        text = summary(classified.plan, classified.rules_file, room=MAX_SUMMARY_BYTES - used)
        if text:
            files.append(here.summary, gap + text)
    except files.FileProblemError as error:
        showing.warn(f"The job summary can't be written: {error}.")
