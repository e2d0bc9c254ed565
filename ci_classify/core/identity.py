"""The identity of an output: which entries of a tree its inputs contain, as one digest.

The matcher is the one that decides about changes, so that "did an input change?" and "is what was
recorded still valid?" have the same answer. The law: between two commits, under the same rules, a suite is selected by
its inputs exactly when its identities differ. Sets that are limited to types of change are the exception, since a
type belongs to two trees and an identity to one: an entry counts if a change of any type would, so that
identities may differ without a selection, never the other way round.

The digest is SHA-256 over these bytes; docs/identity.md has the form in full:
one line of JSON (format, name, terms), a line end, then each entry as ``git ls-tree -r -z`` prints it.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter

from ci_classify.core.automaton import Look, masks_of
from ci_classify.core.model import ChangeType, PathSet, Producer, Rules, SetReference, Suite
from ci_classify.core.record import Record
from ci_classify.core.set_evaluator import SetEvaluator
from ci_classify.core.tree import SUBMODULE, Tree

FORMAT = 1

Places = Sequence[range]  # runs of places in a tree, none empty


class Identity(Record):
    """An output's digest, and the places in the tree of the entries that it was made from, as runs in order."""

    name: str
    digest: str
    runs: Places

    @property
    def places(self) -> list[int]:
        """The places one by one."""
        return [place for run in self.runs for place in run]

    @property
    def key(self) -> str:
        """The key of a cache that holds for exactly this content."""
        return f"{self.name}-{self.digest}"


def identify(rules: Rules, outputs: Iterable[Suite | Producer], tree: Tree) -> tuple[Identity, ...]:
    """Return the identity of each output at a tree. A producer's is made from those of its consumers."""
    wanted = tuple(outputs)
    known = {suite.name: suite for suite in rules.suites}
    producers = {producer.name: producer for producer in rules.producers}
    suites = [known[name] for name in _reached([output.name for output in wanted], producers) if name in known]
    found: dict[str, Identity] = {}
    for suite, runs in zip(suites, inputs(rules, suites, tree), strict=True):
        digest = _digest(_suite_form(rules, suite), (tree.records[run.start : run.stop] for run in runs))
        found[suite.name] = Identity(name=suite.name, digest=digest, runs=runs)
    return tuple(_identity(output.name, found, producers) for output in wanted)


def inputs(rules: Rules, suites: Sequence[Suite], tree: Tree) -> list[Places]:
    """Return for each suite the places of the entries that its inputs contain and that it sees."""
    sets = [rules.documentation, *(suite.inputs or PathSet() for suite in suites)]
    evaluator = SetEvaluator(rules, sets)
    limited = any(path_set.changes is not None for path_set in (*rules.sets.values(), *sets))
    types = tuple(ChangeType) if limited else (ChangeType.MODIFIED,)

    def seen(mask: int) -> Iterable[int]:
        numbers = set()
        for change in types:
            containing = evaluator.containing(mask, change)
            numbers |= {n - 1 for n in containing if n and (0 not in containing or suites[n - 1].keeps_documentation)}
        return numbers

    return places_by_set(evaluator, tree, len(suites), seen)


def places_by_set(
    evaluator: SetEvaluator, tree: Tree, count: int, numbers_of: Callable[[int], Iterable[int]]
) -> list[Places]:
    """Return for each of some sets the places of its entries; ``numbers_of`` says which sets the mask of a path is in."""
    groups: dict[Look, list[range]] = {}
    for look, start, end in evaluator.automaton.runs(tree.paths):
        groups.setdefault(look, []).append(range(start, end))
    submodules = frozenset(tree.places_of(SUBMODULE))
    found: list[list[range]] = [[] for _ in range(count)]
    for look, runs in groups.items():
        as_file, as_directory = masks_of(look)
        files, directories = _apart(runs, submodules) if submodules else (runs, [])
        for mask, places in ((as_file, files), (as_directory, directories)):
            for number in numbers_of(mask) if places else ():
                found[number] += places
    return [sorted(places, key=itemgetter(0)) for places in found]


def _apart(runs: Iterable[range], submodules: frozenset[int]) -> tuple[Places, Places]:
    """Return runs of places without those of submodules, which are directories to git, and those."""
    files: list[range] = []
    directories: list[range] = []
    for run in runs:
        if submodules.isdisjoint(run):
            files.append(run)
        else:
            for place in run:
                (directories if place in submodules else files).append(range(place, place + 1))
    return files, directories


def _reached(names: Sequence[str], producers: Mapping[str, Producer]) -> dict[str, None]:
    """Return names with the consumers of producers among them, along chains."""
    reached: dict[str, None] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached[name] = None
            waiting += producers[name].consumers if name in producers else ()
    return reached


def _identity(name: str, found: dict[str, Identity], producers: Mapping[str, Producer]) -> Identity:
    """Return an identity, made from the consumers where the name is a producer's, and remember it."""
    if name not in found:
        consumers = [_identity(consumer, found, producers) for consumer in producers[name].consumers]
        form = {"format": FORMAT, "producer": name, "consumers": {one.name: one.digest for one in consumers}}
        places = sorted({place for one in consumers for place in one.places})
        runs = [range(place, place + 1) for place in places]
        found[name] = Identity(name=name, digest=_digest(form, ()), runs=runs)
    return found[name]


def _digest(form: Mapping[str, object], runs: Iterable[Sequence[str]]) -> str:
    digest = hashlib.sha256(json.dumps(form, sort_keys=True, separators=(",", ":")).encode("ascii") + b"\n")
    for records in runs:
        digest.update(("\0".join(records) + "\0").encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _suite_form(rules: Rules, suite: Suite) -> Mapping[str, object]:
    """Return what decides about the inputs of a suite: its terms, those of sets that they name, documentation."""
    sees_all = suite.inputs is None or suite.keeps_documentation
    sets = {"inputs": suite.inputs, "documentation": None if sees_all else rules.documentation}
    named: dict[str, object] = {}
    waiting = [path_set for path_set in sets.values() if path_set]
    while waiting:
        for term in waiting.pop().terms:
            if isinstance(term.matches, SetReference) and term.matches.name not in named:
                named[term.matches.name] = _set_form(rules.sets[term.matches.name])
                waiting.append(rules.sets[term.matches.name])
    forms = {name: _set_form(path_set) if path_set else None for name, path_set in sets.items()}
    return {"format": FORMAT, "suite": suite.name, "sets": named, **forms}


def _set_form(path_set: PathSet) -> Mapping[str, object]:
    return {
        "terms": [term.text for term in path_set.terms],
        "ignore-case": path_set.ignore_case,
        "changes": None if path_set.changes is None else sorted(path_set.changes),
    }
