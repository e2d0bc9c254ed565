"""``ci-classify test``: run the examples, the tests of the rules."""

from ci_classify.commands import showing
from ci_classify.commands.classifying import open_rules
from ci_classify.commands.exits import FINDINGS, OK, UsageError
from ci_classify.core.examples import Failure, run_examples
from ci_classify.core.record import Record
from ci_classify.core.text import visible
from ci_classify.edges import console, files
from ci_classify.edges.git import top_of
from ci_classify.formats.examples import load_examples
from ci_classify.render.plan_json import json_text


class TestRequest(Record):
    """The options of the command, as given."""

    repo: str
    rules: str | None = None
    examples: str | None = None
    as_json: bool = False


def run(request: TestRequest) -> int:
    """Run the examples of the rules file, or of a file of their own, and show those that fail."""
    loaded = open_rules(top_of(request.repo), request.rules)
    showing.show_problems(loaded.warnings)
    examples = loaded.rules.examples
    if request.examples is not None:
        try:
            content = files.read(request.examples)
        except files.FileProblemError as error:
            raise UsageError(str(error), "name a file of examples") from None
        names = frozenset(output.name for output in loaded.rules.decided)
        examples = load_examples(content, request.examples, names)
    failures = run_examples(loaded.rules, examples)
    if request.as_json:
        console.write(_json(len(examples), failures))
    else:
        console.write(_text(len(examples), failures))
    return FINDINGS if failures else OK


def _json(count: int, failures: tuple[Failure, ...]) -> str:
    failed = [
        {"name": failure.example.name, "output": failure.output, "expected": failure.expected, "got": failure.got}
        for failure in failures
    ]
    return json_text({"examples": count, "failed": failed}) + "\n"


def _text(count: int, failures: tuple[Failure, ...]) -> str:
    lines = [
        f"FAILED {visible(f.example.name)} (line {f.example.line}): {f.output} is {_word(runs=f.got)}, "
        f"expected {_word(runs=f.expected)}"
        for f in failures
    ]
    failed = len({id(failure.example) for failure in failures})
    return "".join(f"{line}\n" for line in (*lines, f"{count} examples, {failed} failed"))


def _word(*, runs: bool) -> str:
    return "true" if runs else "false"
