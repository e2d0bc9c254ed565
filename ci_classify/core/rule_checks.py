"""Findings about rules against a tree: terms without effect, suites without files, files without a suite.

What holds for every path that could exist is a warning. What holds for the tracked files alone is a note, save where
a term matches none of them: then its author meant something else.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ci_classify.core.decision import mode_of
from ci_classify.core.findings import Code, Finding, Severity
from ci_classify.core.matching import SetEvaluator
from ci_classify.core.model import Event, Mode, PathSet, Pattern, Rules, SetReference, Suite, Term
from ci_classify.core.pattern_relations import covers
from ci_classify.core.patterns import compile_pattern
from ci_classify.core.record import Record
from ci_classify.core.text import visible
from ci_classify.core.unclaimed import Group, directories

MOST_DIRECTORIES = 50
_SHOWN = 3
_WILDCARDS = frozenset("*?[\\")


class Tracked(Record):
    """The paths of a tree, and which of them are submodules."""

    paths: Sequence[str]
    submodules: frozenset[str] = frozenset()


def check_rules(rules: Rules, tracked: Tracked) -> Iterator[Finding]:
    """Return what is wrong with rules, seen from a tree."""
    survey = _Survey(rules, tracked)
    for named in survey.named:
        yield from _Terms(rules, survey, named).findings()
    yield from _suites(rules, survey)
    yield from _unclaimed(rules, survey)


class _Named(Record):
    """A set with the words by which a person knows it, and its place among all sets."""

    what: str
    place: int
    path_set: PathSet
    suite: Suite | None = None


class _Survey:
    """Which terms of which sets match which tracked files. Files with the same matches are one kind."""

    def __init__(self, rules: Rules, tracked: Tracked) -> None:
        suites = [suite for suite in rules.suites if suite.inputs is not None]
        special = {"documentation": rules.documentation, "unaffecting": rules.unaffecting, "control": rules.control}
        sets = [*special.values(), rules.rules_files, *(suite.inputs for suite in suites if suite.inputs)]
        self.tracked = tracked
        self.evaluator = SetEvaluator(rules, sets)
        first = len(self.evaluator.sets) - len(sets)
        self.documentation, self.unaffecting, self.control, self.rules_files = range(first, first + 4)
        names = {id(path_set): name for name, path_set in rules.sets.items()}
        self.named = [
            _Named(what=f"the set {names[id(path_set)]}", place=place, path_set=path_set)
            for place, path_set in enumerate(self.evaluator.sets[:first])
        ]
        self.named += [
            _Named(what=name, place=first + number, path_set=path_set)
            for number, (name, path_set) in enumerate(special.items())
        ]
        self.suites = {suite.name: first + 4 + number for number, suite in enumerate(suites)}
        self.named += [
            _Named(what=f"the inputs of {s.name}", place=self.suites[s.name], path_set=s.inputs or PathSet(), suite=s)
            for s in suites
        ]
        look = self.evaluator.automaton.masks
        self.masks = [look(path)[path in tracked.submodules] for path in tracked.paths]
        self.kinds = {mask: self.evaluator.matching(mask) for mask in dict.fromkeys(self.masks)}
        self.counts = Counter(self.masks)

    def contains(self, place: int, mask: int) -> bool:
        """Return whether a set contains the files of a kind."""
        indices = self.kinds[mask].get(place)
        return indices is not None and self.evaluator.sets[place].terms[indices[-1]].positive

    def count_in(self, place: int) -> int:
        """Return how many tracked files a set contains."""
        return sum(count for mask, count in self.counts.items() if self.contains(place, mask))

    def is_seen(self, suite: Suite, mask: int) -> bool:
        """Return whether a suite sees files of a kind: all but documentation, unless it keeps that."""
        return suite.keeps_documentation or not self.contains(self.documentation, mask)

    def selects(self, suite: Suite, mask: int) -> bool:
        """Return whether a suite is selected by files of a kind."""
        place = self.suites.get(suite.name)
        return place is not None and self.contains(place, mask) and self.is_seen(suite, mask)

    def masks_of_term(self, place: int, index: int) -> list[int]:
        """Return the kinds of files that a term matches."""
        return [mask for mask, hits in self.kinds.items() if index in hits.get(place, ())]

    def paths_of(self, masks: Iterable[int]) -> Iterator[str]:
        """Return the files of some kinds, in order."""
        wanted = set(masks)
        return (path for path, mask in zip(self.tracked.paths, self.masks, strict=True) if mask in wanted)


class _Terms:
    """Looks at the terms of one set."""

    def __init__(self, rules: Rules, survey: _Survey, named: _Named) -> None:
        self._rules = rules
        self._survey = survey
        self._named = named
        self._terms = named.path_set.terms

    def findings(self) -> Iterator[Finding]:
        settled: set[int] = set()
        for index, term in enumerate(self._terms):
            masks = self._survey.masks_of_term(self._named.place, index)
            if not masks and isinstance(term.matches, Pattern):
                settled.add(index)
                yield self._matches_nothing(term)
                continue
            pointless = self._pointless(index)
            if pointless is not None:
                settled.add(index)
                yield pointless
            yield from self._unanchored(term, masks)
            yield from self._only_documentation(term, masks)
        yield from self._without_effect(settled)

    def _finding(self, code: Code, severity: Severity, term: Term, message: str, help_: str) -> Finding:
        position = (term.line, term.matches.column)
        return Finding(
            code=code, severity=severity, file=self._rules.file, position=position, message=message, help=help_
        )

    def _matches_nothing(self, term: Term) -> Finding:
        if term.positive:
            return self._finding(
                Code.TERM_MATCHES_NOTHING,
                Severity.WARNING,
                term,
                f"{visible(term.text)} matches no tracked file",
                "correct the path, or delete the line",
            )
        return self._finding(
            Code.TERM_MATCHES_NOTHING,
            Severity.NOTE,
            term,
            f"{visible(term.text)} takes no tracked file away",
            "keep it if it guards against files to come",
        )

    def _pointless(self, index: int) -> Finding | None:
        """Return the finding about a term that another one makes pointless, whatever files there are."""
        term = self._terms[index]
        later = next((o for o in range(index + 1, len(self._terms)) if self._covers(o, index)), None)
        if later is not None:
            other = self._terms[later]
            why = f"{visible(other.text)} on line {other.line} decides about all that it matches"
        else:
            before = self._terms[:index]
            if not term.positive and not any(other.positive for other in before):
                why = "no term before it contains anything that it could take away"
            else:
                earlier = self._earlier(index)
                if earlier is None:
                    return None
                what = "contains" if term.positive else "takes away"
                why = f"{visible(earlier.text)} on line {earlier.line} already {what} all that it matches"
        return self._finding(
            Code.TERM_IS_POINTLESS,
            Severity.WARNING,
            term,
            f"{visible(term.text)} changes nothing: {why}",
            "delete the line, or move it",
        )

    def _earlier(self, index: int) -> Term | None:
        """Return an earlier term of the same sign that covers a term, with no other sign between them."""
        term = self._terms[index]
        for other in range(index - 1, -1, -1):
            if self._terms[other].positive is not term.positive:
                return None
            if self._covers(other, index):
                return self._terms[other]
        return None

    def _covers(self, wide: int, narrow: int) -> bool:
        """Return whether one term of the set matches all that another does."""
        one, other = self._terms[wide].matches, self._terms[narrow].matches
        if isinstance(one, SetReference) and isinstance(other, SetReference) and one.name == other.name:
            return True
        case = self._named.path_set.ignore_case
        wide_patterns = _patterns(self._rules, one, ignore_case=case, exact=True)
        narrow_patterns = _patterns(self._rules, other, ignore_case=case, exact=False)
        if wide_patterns is None or narrow_patterns is None:
            return False
        return all(
            any(
                folded == other_folded
                and covers(
                    compile_pattern(text, ignore_case=folded), compile_pattern(other_text, ignore_case=other_folded)
                )
                for text, folded in wide_patterns
            )
            for other_text, other_folded in narrow_patterns
        )

    def _unanchored(self, term: Term, masks: Sequence[int]) -> Iterator[Finding]:
        if not isinstance(term.matches, Pattern):
            return
        name = term.matches.text.removesuffix("/")
        if "/" in name or set(name) & _WILDCARDS:
            return
        places: dict[str, None] = {}
        for path in self._survey.paths_of(masks):
            parts = path.lower().split("/") if self._named.path_set.ignore_case else path.split("/")
            at = parts.index(name.lower() if self._named.path_set.ignore_case else name)
            places["/".join(path.split("/")[: at + 1])] = None
        if len(places) < 2:
            return
        listed = [f"/{visible(place)}" for place in list(places)[:_SHOWN]]
        more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
        yield self._finding(
            Code.UNANCHORED_NAME,
            Severity.WARNING,
            term,
            f"{visible(term.text)} matches in {len(places)} places: {', '.join(listed)}{more}",
            f"write /{visible(term.matches.text)} for the one at the top, **/{visible(term.matches.text)} if all are meant",
        )

    def _only_documentation(self, term: Term, masks: Sequence[int]) -> Iterator[Finding]:
        """Look at a term of inputs whose every file is dropped as documentation before the suite looks."""
        suite = self._named.suite
        if suite is None or suite.keeps_documentation or not term.positive or not masks:
            return
        if not all(self._survey.contains(self._survey.documentation, mask) for mask in masks):
            return
        yield self._finding(
            Code.DOCUMENTATION_AS_INPUT,
            Severity.WARNING,
            term,
            f"{visible(term.text)} matches documentation only, which {suite.name} does not see",
            "write `documentation: keep` in the suite, or exclude the path from documentation",
        )

    def _without_effect(self, settled: set[int]) -> Iterator[Finding]:
        """Look for terms without which the set would contain the same tracked files, from the last to the first."""
        place = self._named.place
        kinds = {tuple(hits[place]) for hits in self._survey.kinds.values() if place in hits}
        gone = set(settled)
        for index in range(len(self._terms) - 1, -1, -1):
            touched = [hits for hits in kinds if index in hits]
            if index in gone or not touched:
                continue
            if all(self._verdict(hits, gone) == self._verdict(hits, gone | {index}) for hits in touched):
                gone.add(index)
                term = self._terms[index]
                yield self._finding(
                    Code.TERM_IS_POINTLESS,
                    Severity.NOTE,
                    term,
                    f"without {visible(term.text)}, {self._named.what} would contain the same tracked files",
                    "delete it if it guards against no files to come",
                )

    def _verdict(self, hits: Sequence[int], gone: set[int]) -> bool:
        deciding = next((index for index in reversed(hits) if index not in gone), None)
        return deciding is not None and self._terms[deciding].positive


def _patterns(
    rules: Rules, matches: Pattern | SetReference, *, ignore_case: bool, exact: bool
) -> list[tuple[str, bool]] | None:
    """Return patterns of which any matches what a term matches: exactly that, or at least that; None where that is no list."""
    if isinstance(matches, Pattern):
        return [(matches.text, ignore_case)]
    path_set = rules.sets[matches.name]
    if exact and (path_set.changes is not None or not all(term.positive for term in path_set.terms)):
        return None
    found: list[tuple[str, bool]] = []
    for term in path_set.terms:
        if term.positive:
            inner = _patterns(rules, term.matches, ignore_case=path_set.ignore_case, exact=exact)
            if inner is None:
                return None
            found += inner
    return found


# -- suites ----------------------------------------------------------------------------------------------


def _suites(rules: Rules, survey: _Survey) -> Iterator[Finding]:
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


def _never_runs(rules: Rules, survey: _Survey, suite: Suite) -> Iterator[Finding]:
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


def _unclaimed(rules: Rules, survey: _Survey) -> Iterator[Finding]:
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


def _is_claimed(survey: _Survey, mask: int) -> bool:
    special = (survey.documentation, survey.unaffecting, survey.control, survey.rules_files)
    if any(survey.contains(place, mask) for place in special):
        return True
    return any(survey.contains(place, mask) for place in survey.suites.values())


def suites_that_miss(rules: Rules, paths: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return for each path the emitted suites that a change of it does not select; none for a control file."""
    survey = _Survey(rules, Tracked(paths=paths))
    found: dict[str, tuple[str, ...]] = {}
    for path, mask in zip(paths, survey.masks, strict=True):
        is_control = survey.contains(survey.control, mask) or survey.contains(survey.rules_files, mask)
        suites = (suite for suite in rules.suites if not suite.internal and not survey.selects(suite, mask))
        found[path] = () if is_control else tuple(suite.name for suite in suites)
    return found
