"""What every command shows in the same way: plans, warnings, errors, complaints about files, failures."""

from collections.abc import Iterable

from ci_classify.commands.exits import BUG, USAGE, UsageError
from ci_classify.core.errors import InvalidFileError, Problem
from ci_classify.core.explanation import headline, remedy
from ci_classify.core.plan import Plan
from ci_classify.core.text import visible
from ci_classify.edges import console
from ci_classify.render import messages
from ci_classify.render.plan_json import plan_json
from ci_classify.render.terminal import plan_lines


def show_plan(plan: Plan, rules_file: str, problems: Iterable[Problem], *, as_json: bool) -> None:
    """Print a plan; warnings go to standard error."""
    show_problems(problems)
    if plan.fallback is not None and not plan.fallback.is_by_event:
        warn(f"{headline(plan)} To do: {remedy(plan.fallback.cause)}.")
    elif plan.fallback is not None:
        console.say([visible(headline(plan), longest=1000)])
    if as_json:
        console.write(plan_json(plan) + "\n")
        return
    first, *rest = plan_lines(plan, rules_file)
    if console.in_ci():
        title = console.plain_text([first]).rstrip()
        console.write(messages.group(f"ci-classify: {title}", console.plain_text(rest)))
    else:
        console.show([first, *rest])


def show_problems(problems: Iterable[Problem]) -> None:
    """Print complaints about files to standard error."""
    console.say(messages.problems(problems, in_ci=console.in_ci()))


def warn(text: str) -> None:
    """Print a warning to standard error."""
    console.say([messages.warning(text, in_ci=console.in_ci())])


def error(text: str) -> None:
    """Print an error to standard error; several lines become several errors."""
    console.say(messages.error(line, in_ci=console.in_ci()) for line in text.splitlines())


def failure(raised: Exception) -> int:
    """Print why a command could not be carried out, and return its exit code."""
    match raised:
        case UsageError() | console.UnwritableError():
            error(str(raised))
            return USAGE
        case InvalidFileError():
            show_problems(raised.problems)
            return USAGE
        case _:
            bug(raised)
            return BUG


def bug(raised: Exception) -> None:
    """Print where our own bug was noticed."""
    import traceback  # noqa: PLC0415 -- a run without a bug never pays for it

    lines = "".join(traceback.format_exception(raised)).splitlines()
    console.say(visible(line, longest=1000) for line in lines)
