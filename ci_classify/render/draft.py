"""A drafted rules file as YAML, with a comment for each line."""

import json
from collections.abc import Iterator, Mapping

from ci_classify.core.draft import Draft, DraftSuite
from ci_classify.core.patterns import literal_pattern
from ci_classify.core.text import visible
from ci_classify.render.plan_json import without_commands

_HEAD = """\
# Which of the jobs a change must run. Drafted by `ci-classify init` from the workflows: behind each line stands how a
# job comes to read it. Read it, correct it, and then
# - let a job run `ci-classify` and let each job read the output of its name: docs/workflows.md;
# - let one required check judge all of them: docs/required-check.md;
# - let CI run `ci-classify check` and `ci-classify drift`, so that these rules stay true.
version: 1

# What decides CI. A change of it runs everything.
control: [{control}]

# A change that no suite claims runs everything. `nothing` saves more, once drift guards these rules.
unclaimed: everything
"""
_WIDTH = 100


def draft_yaml(draft: Draft) -> str:
    """Return the text of the rules file."""
    return "".join(f"{line}\n" for line in _lines(draft))


def _lines(draft: Draft) -> Iterator[str]:
    yield from _HEAD.format(control=", ".join(_quoted(literal_pattern(path)) for path in draft.control)).splitlines()
    if draft.unaffecting:
        yield from ("", "# No suite is seen to read these, so that a change of them runs nothing.", "unaffecting:")
        yield from _patterns(dict.fromkeys(draft.unaffecting, ""), "  ")
    if draft.sets:
        yield from ("", "sets:")
    for one in draft.sets:
        yield f"  # {_comment(one.why)}"
        yield f"  {one.name}:"
        yield from _patterns(one.lines, "    ")
    yield from ("", "suites:")
    for suite in draft.suites:
        yield from _suite(suite)
    if draft.producers:
        yield from ("", "# Each runs exactly when a consumer of it does.", "producers:")
    for producer in draft.producers:
        yield f"  {producer.name}: {{consumers: [{', '.join(producer.consumers)}]}} # {producer.why}"
    if draft.left_out:
        yield from ("", "# Left out: no output gates them.")
        yield from (f"# - {_comment(job)}: {why}" for job, why in draft.left_out.items())


def _suite(suite: DraftSuite) -> Iterator[str]:
    yield f"  {suite.name}:"
    yield from (f"    # unresolved: {_comment(text)}" for text in suite.unresolved)
    yield "    inputs:"
    yield from (f'      - "@{name}"' for name in suite.sets)
    yield from _patterns(suite.lines, "      ")
    if suite.waiting:
        yield f"    events: {{push: always}} # else it would skip {_comment(', '.join(suite.waiting))}"


def _patterns(lines: Mapping[str, str], indent: str) -> Iterator[str]:
    for pattern, why in lines.items():
        yield f"{indent}- {_quoted(pattern)}" + (f" # {_comment(why)}" if why else "")


def _comment(text: str) -> str:
    return visible(text, longest=_WIDTH, double_backslashes=False)


def _quoted(pattern: str) -> str:
    """Return a pattern as YAML text; quotes only where YAML needs them."""
    plain = pattern.isascii() and all(character.isalnum() or character in "/._-" for character in pattern)
    return pattern if plain else without_commands(json.dumps(pattern))
