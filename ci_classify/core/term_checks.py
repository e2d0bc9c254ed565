"""Findings about the terms of one set: without a file, without effect, or with another effect than meant."""

from collections.abc import Iterator, Sequence

from ci_classify.core.findings import Code, Finding, Severity
from ci_classify.core.model import Pattern, Rules, SetReference, Term
from ci_classify.core.pattern_relations import covers
from ci_classify.core.patterns import compile_pattern
from ci_classify.core.survey import Named, Survey
from ci_classify.core.text import visible

_SHOWN = 3
_WILDCARDS = frozenset("*?[\\")


class Terms:
    """Looks at the terms of one set."""

    def __init__(self, rules: Rules, survey: Survey, named: Named) -> None:
        self._rules = rules
        self._survey = survey
        self._named = named
        self._terms = named.path_set.terms
        self._settled: set[int] = set()
        self._pointless_ones: set[int] = set()

    def findings(self) -> Iterator[Finding]:
        """Return what is wrong with the terms. All that are called pointless may be deleted together."""
        for index, term in enumerate(self._terms):
            masks = self._survey.masks_of_term(self._named.place, index)
            if not masks and isinstance(term.matches, Pattern):
                self._settled.add(index)
                yield self._matches_nothing(term)
                continue
            pointless = self._pointless(index)
            if pointless is not None:
                self._settled.add(index)
                self._pointless_ones.add(index)
                yield pointless
            yield from self._unanchored(term, masks)
            yield from self._only_documentation(term, masks)
        yield from self._without_effect()

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
        """Return whether one term of the set, which is not pointless itself, matches all that another does."""
        if wide in self._pointless_ones:
            return False
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

    def _without_effect(self) -> Iterator[Finding]:
        """Look for terms without which the set would contain the same tracked files, from the last to the first."""
        place = self._named.place
        kinds = {tuple(hits[place]) for hits in self._survey.kinds.values() if place in hits}
        gone = set(self._settled)
        for index in range(len(self._terms) - 1, -1, -1):
            touched = [hits for hits in kinds if index in hits]
            if index in gone or not touched:
                continue
            # Alone, and together with all that are told so far.
            if all(self._is_same(hits, before, index) for hits in touched for before in (set[int](), gone)):
                gone.add(index)
                term = self._terms[index]
                yield self._finding(
                    Code.TERM_IS_POINTLESS,
                    Severity.NOTE,
                    term,
                    f"without {visible(term.text)}, {self._named.what} would contain the same tracked files",
                    "delete it if it guards against no files to come",
                )

    def _is_same(self, hits: Sequence[int], gone: set[int], index: int) -> bool:
        return self._verdict(hits, gone) == self._verdict(hits, gone | {index})

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
