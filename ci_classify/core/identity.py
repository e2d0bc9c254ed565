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

from ci_classify.core.matching import Look, SetEvaluator, masks_of
from ci_classify.core.model import ChangeType, PathSet, Producer, Rules, SetReference, Suite
from ci_classify.core.record import Record
from ci_classify.core.tree import SUBMODULE, Tree

FORMAT = 1


class Identity(Record):
    """An output's digest, and the places in the tree of the entries that it was made from."""

    name: str
    digest: str
    places: Sequence[int]

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
    for suite, places in zip(suites, inputs(rules, suites, tree), strict=True):
        digest = _digest(_suite_form(rules, suite), (f"{tree.objects[at]}\t{tree.paths[at]}" for at in places))
        found[suite.name] = Identity(name=suite.name, digest=digest, places=places)
    return tuple(_identity(output.name, found, producers) for output in wanted)


def inputs(rules: Rules, suites: Sequence[Suite], tree: Tree) -> list[list[int]]:
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
) -> list[list[int]]:
    """Return for each of some sets the places of its entries; ``numbers_of`` says which sets the mask of a path is in."""
    found: list[list[list[int]]] = [[] for _ in range(count)]
    for look, is_submodule, places in _by_look(evaluator, tree):
        for number in numbers_of(masks_of(look)[is_submodule]):
            found[number].append(places)
    return [_merged(groups) for groups in found]


def _by_look(evaluator: SetEvaluator, tree: Tree) -> Iterable[tuple[Look, bool, list[int]]]:
    """Return the places of a tree by what is seen of them; submodules, which are directories to git, apart."""
    groups: dict[Look, list[int]] = {}
    look_at = evaluator.automaton.look
    for place, path in enumerate(tree.paths):
        look = look_at(path)
        if look in groups:
            groups[look].append(place)
        else:
            groups[look] = [place]
    submodules = set(tree.places_of(SUBMODULE))
    for look, places in groups.items():
        directories = submodules.intersection(places) if submodules else ()
        if directories:
            yield look, True, sorted(directories)
            yield look, False, [place for place in places if place not in directories]
        else:
            yield look, False, places


def _merged(groups: Sequence[list[int]]) -> list[int]:
    return groups[0] if len(groups) == 1 else sorted(place for group in groups for place in group)


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
        found[name] = Identity(name=name, digest=_digest(form, ()), places=places)
    return found[name]


def _digest(form: Mapping[str, object], entries: Iterable[str]) -> str:
    head = json.dumps(form, sort_keys=True, separators=(",", ":"))
    body = "".join(f"{entry}\0" for entry in entries)
    return hashlib.sha256(f"{head}\n{body}".encode("utf-8", "surrogateescape")).hexdigest()


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
