"""A drafted rules file as YAML, with a comment for each line."""

import json
from collections.abc import Iterator, Sequence

from ci_classify.core.draft import Draft, DraftLine
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
    yield from _HEAD.format(control=", ".join(_quoted(f"/{path}") for path in draft.control)).splitlines()
    if draft.sets:
        yield from ("", "sets:")
    for one in draft.sets:
        yield f"  # read by {', '.join(one.users)}"
        yield f"  {one.name}:"
        yield from _patterns(one.lines, "    ")
    yield from ("", "suites:")
    for suite in draft.suites:
        yield f"  {suite.name}:"
        yield from (f"    # unresolved: {_comment(text)}" for text in suite.unresolved)
        yield "    inputs:"
        yield from (f'      - "@{name}"' for name in suite.sets)
        yield from _patterns(suite.lines, "      ")
    if draft.producers:
        yield from ("", "# Each runs exactly when a consumer of it does.", "producers:")
    for producer in draft.producers:
        yield f"  {producer.name}: {{consumers: [{', '.join(producer.consumers)}]}} # {producer.why}"
    if draft.left_out:
        yield from ("", "# Left out, since no output can gate them:")
        yield from (f"# - {_comment(job)}: {why}" for job, why in draft.left_out)


def _patterns(lines: Sequence[DraftLine], indent: str) -> Iterator[str]:
    for line in lines:
        yield f"{indent}- {_quoted(line.pattern)} # {_comment(line.why)}"


def _comment(text: str) -> str:
    return visible(text, longest=_WIDTH, double_backslashes=False)


def _quoted(pattern: str) -> str:
    """Return a pattern as YAML text; quotes only where YAML needs them."""
    plain = pattern.isascii() and all(character.isalnum() or character in "/._-" for character in pattern)
    return pattern if plain else without_commands(json.dumps(pattern))
