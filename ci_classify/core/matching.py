"""Verdicts on changes: which sets of a rules file contain each, and by which pattern.

The equal, slow way (each term of each set by itself) stands in the tests as the reference.

Refuses: any knowledge of modes, labels and policies.
"""

from collections.abc import Callable, Iterable, Sequence

from ci_classify.core.automaton import Look, masks_of
from ci_classify.core.model import ChangeKind, Changes, ChangeType, Pattern, Rules
from ci_classify.core.set_evaluator import SetEvaluator

EVIDENCE = 3  # paths that an explanation shows before "and N more"
MAX_CACHED = 200_000  # verdicts: bounds memory, whatever the number of changes


class Verdict:
    """Which sets contain a change, each with the pattern that decided; ``inputs`` by number of the suite.

    Compared by identity, which is what makes verdicts cheap keys.
    """

    __slots__ = ("control", "documentation", "inputs", "unaffecting")

    def __init__(
        self,
        control: Pattern | None,
        documentation: Pattern | None,
        unaffecting: Pattern | None,
        inputs: tuple[tuple[int, Pattern], ...],
    ) -> None:
        self.control = control
        self.documentation = documentation
        self.unaffecting = unaffecting
        self.inputs = inputs


class Group:
    """The changes of one verdict: how many, and the places of the first few in the diff."""

    __slots__ = ("count", "first")

    def __init__(self) -> None:
        self.count = 0
        self.first: list[int] = []


class Matcher:
    """The sets of a rules file, ready to give verdicts on changes."""

    def __init__(self, rules: Rules) -> None:
        suites = [(number, suite.inputs) for number, suite in enumerate(rules.suites) if suite.inputs]
        special = (rules.control, rules.documentation, rules.unaffecting, rules.rules_files)
        self._evaluator = SetEvaluator(rules, [*special, *(inputs for _, inputs in suites)])
        self._first_suite = len(special)
        self._suites = [number for number, _ in suites]
        self._keeping = [suite.keeps_documentation for suite in rules.suites]
        self._verdicts: dict[ChangeKind, _Known] = {}

    @property
    def look(self) -> Callable[[str], Look]:
        """What returns what is seen of a path: the same verdict belongs to equal looks at changes of a kind."""
        return self._evaluator.automaton.look

    def verdict(self, path: str, kind: ChangeKind) -> Verdict:
        """Return which sets contain a change; equal answers are the same object while they are remembered."""
        return self._verdict_on(self._evaluator.automaton.look(path), self._known(kind))

    def group(self, changes: Changes) -> dict[Verdict, Group]:
        """Return the changes by verdict. The places of each group's first changes are in diff order."""
        found: dict[Verdict, Group] = {}
        kinds = dict(zip(map(id, changes.kinds), changes.kinds, strict=True))
        known = {number: self._known(kind) for number, kind in kinds.items()}
        for look, places in self._evaluator.automaton.seen(changes.paths):
            for number, same in [(next(iter(known)), places)] if len(known) == 1 else _by_kind(places, changes.kinds):
                group = found.setdefault(self._verdict_on(look, known[number]), Group())
                group.count += len(same)
                group.first += same[:EVIDENCE]
        for group in found.values():
            group.first.sort()
            del group.first[EVIDENCE:]
        return found

    def _known(self, kind: ChangeKind) -> "_Known":
        known = self._verdicts.get(kind)
        if known is None:
            known = self._verdicts[kind] = _Known(kind)
        return known

    def _verdict_on(self, look: Look, known: "_Known") -> Verdict:
        verdict = known.by_look.get(look)
        if verdict is None:
            masks = masks_of(look)
            verdict = known.by_masks.get(masks)
            if verdict is None:
                verdict = known.by_masks[masks] = self._judge(masks, known.kind)
            if len(known.by_look) > MAX_CACHED:
                known.by_look.clear()
                known.by_masks.clear()
            known.by_look[look] = verdict
        return verdict

    def _judge(self, masks: tuple[int, int], kind: ChangeKind) -> Verdict:
        as_file, as_directory = masks
        match list(_sides(kind)):
            case [is_submodule]:
                return self._of_mask(as_directory if is_submodule else as_file, kind)
            case _:
                return _either(self._seen(self._of_mask(as_file, kind)), self._seen(self._of_mask(as_directory, kind)))

    def _of_mask(self, mask: int, kind: ChangeKind) -> Verdict:
        found = self._evaluator.containing(mask, kind.type)
        first = self._first_suite
        inputs = tuple((self._suites[number - first], hit) for number, hit in found.items() if number >= first)
        return Verdict(found.get(3) or found.get(0), found.get(1), found.get(2), inputs)

    def _seen(self, verdict: Verdict) -> Verdict:
        """Return the verdict on one side with the inputs of those suites only that see it there."""
        if not verdict.documentation:
            return verdict
        inputs = tuple(hit for hit in verdict.inputs if self._keeping[hit[0]])
        return Verdict(verdict.control, verdict.documentation, verdict.unaffecting, inputs)


class _Known:
    """The verdicts on changes of one kind so far."""

    __slots__ = ("by_look", "by_masks", "kind")

    def __init__(self, kind: ChangeKind) -> None:
        self.kind = kind
        self.by_look: dict[Look, Verdict] = {}
        self.by_masks: dict[tuple[int, int], Verdict] = {}


def _by_kind(places: Sequence[int], kinds: Sequence[ChangeKind]) -> Iterable[tuple[int, list[int]]]:
    """Return places by the identity of what kind of change each is: hashing a kind costs as much as matching a path."""
    found: dict[int, list[int]] = {}
    for place in places:
        found.setdefault(id(kinds[place]), []).append(place)
    return found.items()


def _sides(kind: ChangeKind) -> set[bool]:
    """Return whether a path is a submodule, for the sides of a change on which it exists."""
    match kind.type:
        case ChangeType.ADDED:
            return {kind.new_is_submodule}
        case ChangeType.DELETED:
            return {kind.old_is_submodule}
        case _:
            return {kind.old_is_submodule, kind.new_is_submodule}


def _either(old: Verdict, new: Verdict) -> Verdict:
    """Join both sides of a path that is a submodule on one of them: only what holds on both may narrow."""
    inputs = dict(new.inputs) | dict(old.inputs)
    return Verdict(
        control=old.control or new.control,
        documentation=old.documentation and new.documentation,
        unaffecting=old.unaffecting and new.unaffecting,
        inputs=tuple(sorted(inputs.items(), key=lambda item: item[0])),
    )
