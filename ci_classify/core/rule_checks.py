"""Findings about rules against a tree: terms without effect, suites without files, files without a suite.

What holds for every path that could exist is a warning. What holds for the tracked files alone is a note, save where
a term matches none of them: then its author meant something else.
"""

from collections.abc import Iterator

from ci_classify.core.decision import mode_of
from ci_classify.core.findings import Code, Finding, Severity
from ci_classify.core.model import Event, Mode, PathSet, Rules, Suite
from ci_classify.core.survey import Survey, Tracked
from ci_classify.core.term_checks import Terms
from ci_classify.core.text import visible
from ci_classify.core.unclaimed import Group, directories

MOST_DIRECTORIES = 50


def check_rules(rules: Rules, tracked: Tracked) -> Iterator[Finding]:
    """Return what is wrong with rules, seen from a tree."""
    survey = Survey(rules, tracked)
    for named in survey.named:
        yield from Terms(rules, survey, named).findings()
    yield from _suites(rules, survey)
    yield from _unclaimed(rules, survey)


# -- suites ----------------------------------------------------------------------------------------------


def _suites(rules: Rules, survey: Survey) -> Iterator[Finding]:
    for suite in rules.suites:
        yield from _never_runs(rules, survey, suite)
    for number, suite in enumerate(rules.suites):
        twin = next((other for other in rules.suites[:number] if _decided_alike(rules, suite, other)), None)
        if twin is not None:
            yield _suite_finding(
                rules,
                suite,
                Code.SUITES_ALWAYS_EQUAL,
                f"{suite.name} and {twin.name} are always equal: same inputs, same modes",
                "let both jobs read one output, or tell the inputs apart",
            )


def _suite_finding(rules: Rules, suite: Suite, code: Code, message: str, help_: str) -> Finding:
    return Finding(
        code=code, severity=Severity.WARNING, file=rules.file, position=suite.position, message=message, help=help_
    )


def _never_runs(rules: Rules, survey: Survey, suite: Suite) -> Iterator[Finding]:
    modes = _possible_modes(rules, suite)
    labelled = any(suite.name in label.selects for label in rules.labels)
    if modes == {Mode.NEVER} and not labelled:
        message = f"{suite.name} never runs: its mode is never for every event, and no label names it"
        yield _suite_finding(
            rules, suite, Code.SUITE_NEVER_RUNS, message, "give it another mode for an event, or delete it"
        )
    elif Mode.INPUTS in modes and not any(survey.selects(suite, mask) for mask in survey.kinds):
        message = f"no tracked file selects {suite.name}: its inputs contain none that it sees"
        yield _suite_finding(rules, suite, Code.SUITE_NEVER_RUNS, message, "correct its inputs")


def _possible_modes(rules: Rules, suite: Suite) -> set[Mode]:
    """Return the modes of a suite for all events and branches that its entries tell apart, and for any other."""
    entries = (*rules.events, *suite.modes)
    events = {entry.event for entry in entries if entry.event != "*"} | {"pull_request", "push", "another event"}
    branches = {entry.branch.replace("*", "x") for entry in entries if entry.branch is not None}
    return {mode_of(rules, suite, Event(name=event, branch=branch)) for event in events for branch in (None, *branches)}


def _decided_alike(rules: Rules, one: Suite, other: Suite) -> bool:
    labels = all(
        (one.name in ls) == (other.name in ls) for label in rules.labels for ls in (label.selects, label.skips)
    )
    policy = not isinstance(rules.unclaimed, tuple) or (one.name in rules.unclaimed) == (other.name in rules.unclaimed)
    return (
        labels
        and policy
        and _content(one.inputs) == _content(other.inputs)
        and [(m.event, m.branch, m.mode) for m in one.modes] == [(m.event, m.branch, m.mode) for m in other.modes]
        and one.empty_diff_runs == other.empty_diff_runs
        and one.keeps_documentation == other.keeps_documentation
    )


def _content(path_set: PathSet | None) -> object:
    if path_set is None:
        return None
    return tuple(term.text for term in path_set.terms), path_set.ignore_case, path_set.changes


# -- files that nobody claims ----------------------------------------------------------------------------


def _unclaimed(rules: Rules, survey: Survey) -> Iterator[Finding]:
    unclaimed = {mask for mask in survey.kinds if not _is_claimed(survey, mask)}
    if not unclaimed:
        return
    found = directories(survey.tracked.paths, [mask in unclaimed for mask in survey.masks])
    does = _what_unclaimed_does(rules)
    listed = sorted(
        sorted(found, key=lambda group: (-group.count, group.directory))[:MOST_DIRECTORIES], key=lambda g: g.directory
    )
    for group in listed:
        where = f"/{visible(group.directory)}/" if group.directory else "the top directory"
        which = f"all {group.count:,} files" if group.whole and group.count > 1 else _files(group.count)
        examples = "" if group.whole and group.count > 1 else _examples(group)
        yield _unclaimed_finding(rules, f"{which} in {where}{examples}: {does}")
    if len(found) > len(listed):
        rest = sum(group.count for group in found) - sum(group.count for group in listed)
        yield _unclaimed_finding(rules, f"{rest:,} more files in {len(found) - len(listed):,} directories: {does}")


def _examples(group: Group) -> str:
    more = ", ..." if group.count > len(group.first) else ""
    return f" ({', '.join(visible(name) for name in group.first)}{more})"


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count:,} files"


def _what_unclaimed_does(rules: Rules) -> str:
    match rules.unclaimed:
        case tuple():
            return f"in no suite, so that a change selects {', '.join(rules.unclaimed) or 'nothing'}"
        case policy:
            return f"in no suite, so that a change selects {policy}"


def _unclaimed_finding(rules: Rules, message: str) -> Finding:
    return Finding(
        code=Code.UNCLAIMED_FILES,
        severity=Severity.WARNING,
        file=rules.file,
        position=(1, 1),
        message=message,
        help="claim them in the inputs of a suite, or name them under `unaffecting`",
    )


def _is_claimed(survey: Survey, mask: int) -> bool:
    special = (survey.documentation, survey.unaffecting, survey.control, survey.rules_files)
    if any(survey.contains(place, mask) for place in special):
        return True
    return any(survey.contains(place, mask) for place in survey.suites.values())
