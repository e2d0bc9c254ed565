"""What the baseline commands share: which baseline is meant, how failures are answered, what a step writes."""

from collections.abc import Callable, Mapping

from ci_classify.commands import showing
from ci_classify.commands.classifying import open_rules
from ci_classify.commands.exits import USAGE, UsageError
from ci_classify.core.baseline import Baseline, BaselineError, ErrorCode
from ci_classify.core.errors import CannotClassifyError, InvalidFileError
from ci_classify.core.model import Rules
from ci_classify.edges import console, files, github
from ci_classify.edges.git import top_of
from ci_classify.render.plan_json import json_text


def answer(work: Callable[[], int]) -> int:
    """Do the work of a command; a known failure is printed as ``{"error": CODE, "detail": ...}``."""
    try:
        return work()
    except BaselineError as error:
        code, detail = error.code.value, error.detail
    except InvalidFileError as error:
        showing.show_problems(error.problems)
        first = next(problem for problem in error.problems if not problem.warning)
        code, detail = first.code or ErrorCode.INVALID_POLICY.value, str(first)
    except CannotClassifyError as error:
        code, detail = ErrorCode.INVALID_INPUT.value, error.detail
    except files.FileProblemError as error:
        code, detail = ErrorCode.INVALID_INPUT.value, str(error)
    show({"error": code, "detail": detail})
    return USAGE


def show(facts: Mapping[str, object]) -> None:
    """Print an answer as JSON."""
    console.write(json_text(facts) + "\n")


def declared(repo: str, rules_given: str | None, name: str) -> Baseline:
    """Return a baseline of the rules in the checkout, or raise."""
    loaded = open_rules(top_of(repo), rules_given)
    showing.show_problems(loaded.warnings)
    return named(loaded.rules, name)


def named(rules: Rules, name: str) -> Baseline:
    """Return a baseline by its name, or raise BaselineError."""
    for baseline in rules.baselines:
        if baseline.name == name:
            return baseline
    known = ", ".join(baseline.name for baseline in rules.baselines) or "none"
    raise BaselineError(ErrorCode.INVALID_POLICY, f"{rules.file} declares no baseline {name!a}; it declares {known}")


def write_outputs(values: Mapping[str, str]) -> None:
    """Write outputs of the step in one append where this is one, or raise UsageError.

    Values are codes and names that were checked: one line of ASCII each.
    """
    here = github.runner()
    if here.output is None:
        if here.in_ci:
            raise UsageError(
                "GITHUB_OUTPUT is not set, so that no output can be written", "run this as a step of a job"
            )
        return
    if not all(value.isascii() and value.isprintable() for value in values.values()):
        raise AssertionError("names are checked while the rules are loaded")
    try:
        files.append(here.output, "".join(f"{name}={value}\n" for name, value in values.items()).encode("ascii"))
    except files.FileProblemError as error:
        raise UsageError(f"the outputs can't be written: {error}", "look at the disk of the runner") from None


def write_summary(markdown: str) -> None:
    """Append to the job summary, if there is one; that this fails is a warning."""
    here = github.runner()
    if here.summary is not None:
        try:
            gap = b"\n" if files.size(here.summary) else b""
            files.append(here.summary, gap + markdown.encode("utf-8", "backslashreplace"))
        except files.FileProblemError as error:
            showing.warn(f"The job summary can't be written: {error}.")
