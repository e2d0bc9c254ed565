"""Which terms of which sets match which tracked files: what all findings about rules are made from."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ci_classify.core.model import PathSet, Rules, Suite
from ci_classify.core.record import Record
from ci_classify.core.set_evaluator import SetEvaluator


class Tracked(Record):
    """The paths of a tree, and which of them are submodules."""

    paths: Sequence[str]
    submodules: frozenset[str] = frozenset()


class Named(Record):
    """A set with the words by which a person knows it, and its place among all sets."""

    what: str
    place: int
    path_set: PathSet
    suite: Suite | None = None


class Survey:
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
            Named(what=f"the set {names[id(path_set)]}", place=place, path_set=path_set)
            for place, path_set in enumerate(self.evaluator.sets[:first])
        ]
        self.named += [
            Named(what=name, place=first + number, path_set=path_set)
            for number, (name, path_set) in enumerate(special.items())
        ]
        self.suites = {suite.name: first + 4 + number for number, suite in enumerate(suites)}
        self.named += [
            Named(what=f"the inputs of {s.name}", place=self.suites[s.name], path_set=s.inputs or PathSet(), suite=s)
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


def suites_that_miss(rules: Rules, paths: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return for each path the emitted suites that a change of it does not select; none for a control file."""
    survey = Survey(rules, Tracked(paths=paths))
    found: dict[str, tuple[str, ...]] = {}
    for path, mask in zip(paths, survey.masks, strict=True):
        is_control = survey.contains(survey.control, mask) or survey.contains(survey.rules_files, mask)
        suites = (suite for suite in rules.suites if not suite.internal and not survey.selects(suite, mask))
        found[path] = () if is_control else tuple(suite.name for suite in suites)
    return found
