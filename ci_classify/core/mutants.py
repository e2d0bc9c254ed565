"""Mutants: rules with one thing changed, as a careless edit would change it.

Each term of a set is removed, negated, widened and narrowed; each set, consumer, mode and label is dropped. References
to sets are neither widened nor narrowed, since the terms of those sets are.
"""

from collections.abc import Callable, Iterator
from enum import StrEnum

from ci_classify.core.model import EventMode, PathSet, Pattern, Position, Rules, SetReference, Term
from ci_classify.core.patterns import PatternError, compile_pattern
from ci_classify.core.record import Record, replaced


class Mutation(StrEnum):
    """What was done to the rules."""

    REMOVE = "remove"
    NEGATE = "negate"
    WIDEN = "widen"
    NARROW = "narrow"
    DROP_SET = "drop-set"
    DROP_CONSUMER = "drop-consumer"
    DROP_MODE = "drop-mode"
    DROP_LABEL = "drop-label"


class Mutant(Record):
    """Rules with one thing changed. ``where`` is the owner of what was changed, ``what`` the change in words."""

    mutation: Mutation
    where: str
    what: str
    position: Position
    rules: Rules

    @property
    def changes_sets(self) -> bool:
        """Whether a set was changed; else what is made of sets was."""
        return self.mutation not in {Mutation.DROP_CONSUMER, Mutation.DROP_MODE, Mutation.DROP_LABEL}


_WILDCARDS = frozenset("*?[\\")
_Rebuild = Callable[[PathSet], Rules]


def mutants(rules: Rules) -> Iterator[Mutant]:
    """Return all mutants, set by set, then those of producers, modes and labels."""
    for where, path_set, rebuild in _sets(rules):
        yield from _of_set(where, path_set, rebuild)
    yield from _of_consumers(rules)
    yield from _of_modes(rules)
    yield from _of_labels(rules)


def widened(text: str) -> str | None:
    """Return a pattern that matches a little more: names that go on, a shorter prefix or suffix, or any depth."""
    body = text.removesuffix("/")
    slash = "/" if text.endswith("/") else ""
    above, cut, name = body.rpartition("/")
    if name.startswith("*") and not name.startswith("**") and _is_literal(name[1:]):
        return _accepted(f"{above}{cut}*{name[2:]}{slash}")
    if name.endswith("*") and not name.endswith("**") and _is_literal(name[:-1]):
        return _accepted(f"{above}{cut}{name[:-2]}*{slash}")
    if name in {"*", "**"}:
        return _accepted(f"**{text}") if text.startswith("/") and name == "*" else None
    return _accepted(f"{body}*{slash}")


def _is_literal(text: str) -> bool:
    return bool(text) and _WILDCARDS.isdisjoint(text)


def narrowed(text: str) -> str | None:
    """Return a pattern that matches a little less: at the top only, in deeper directories only, or no file."""
    if text.startswith("**/"):
        return _accepted(text[2:])
    if "**/" in text:
        return _accepted(text.replace("**/", "", 1))
    body = text.removesuffix("/")
    if "/" not in body:
        return _accepted(f"/{text}")
    return _accepted(f"{body}/*/" if text.endswith("/") else f"{text}/")


def _accepted(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        compile_pattern(text)
    except PatternError:
        return None
    return text


def _sets(rules: Rules) -> Iterator[tuple[str, PathSet, _Rebuild]]:
    for name, path_set in rules.sets.items():
        yield f"the set {name}", path_set, _named_set(rules, name)
    for field in ("documentation", "unaffecting", "control"):
        yield field, getattr(rules, field), _section(rules, field)
    for suite in rules.suites:
        if suite.inputs is not None:
            yield f"the inputs of {suite.name}", suite.inputs, _inputs(rules, suite.name)


def _named_set(rules: Rules, name: str) -> _Rebuild:
    return lambda path_set: replaced(rules, sets={**rules.sets, name: path_set})


def _section(rules: Rules, field: str) -> _Rebuild:
    return lambda path_set: replaced(rules, **{field: path_set})


def _inputs(rules: Rules, name: str) -> _Rebuild:
    return lambda path_set: replaced(
        rules, suites=tuple(replaced(s, inputs=path_set) if s.name == name else s for s in rules.suites)
    )


def _of_set(where: str, path_set: PathSet, rebuild: _Rebuild) -> Iterator[Mutant]:
    terms = path_set.terms
    if not terms:
        return

    def mutant(mutation: Mutation, what: str, term: Term, changed: tuple[Term, ...]) -> Mutant:
        position = (term.line, term.matches.column)
        mutated = rebuild(replaced(path_set, terms=changed))
        return Mutant(mutation=mutation, where=where, what=what, position=position, rules=mutated)

    yield mutant(Mutation.DROP_SET, "without any of its terms", terms[0], ())
    for place, term in enumerate(terms):
        before, after = terms[:place], terms[place + 1 :]
        if len(terms) > 1:  # else that is the set, dropped
            yield mutant(Mutation.REMOVE, f"without {term.text}", term, (*before, *after))
        opposite = replaced(term, positive=not term.positive)
        yield mutant(Mutation.NEGATE, f"{opposite.text} instead of {term.text}", term, (*before, opposite, *after))
        for mutation, change in ((Mutation.WIDEN, widened), (Mutation.NARROW, narrowed)):
            if isinstance(term.matches, SetReference):
                continue
            text = change(term.matches.text)
            if text is not None and text != term.matches.text:
                other = replaced(term, matches=replaced(term.matches, text=text))
                yield mutant(mutation, f"{other.text} instead of {term.text}", term, (*before, other, *after))


def _of_consumers(rules: Rules) -> Iterator[Mutant]:
    for producer in rules.producers:
        for consumer in producer.consumers:
            kept = tuple(name for name in producer.consumers if name != consumer)
            producers = tuple(replaced(p, consumers=kept) if p is producer else p for p in rules.producers)
            yield Mutant(
                mutation=Mutation.DROP_CONSUMER,
                where=f"the producer {producer.name}",
                what=f"without its consumer {consumer}",
                position=producer.position,
                rules=replaced(rules, producers=producers),
            )


def _of_modes(rules: Rules) -> Iterator[Mutant]:
    def mutant(where: str, text: str, line: int, mutated: Rules) -> Mutant:
        return Mutant(mutation=Mutation.DROP_MODE, where=where, what=text, position=(line, 1), rules=mutated)

    for entry in rules.events:
        kept = tuple(other for other in rules.events if other is not entry)
        yield mutant("events", f"without {_key(entry)}", entry.line, replaced(rules, events=kept))
    for suite in rules.suites:
        for entry in suite.modes:
            modes = tuple(other for other in suite.modes if other is not entry)
            suites = tuple(replaced(s, modes=modes) if s is suite else s for s in rules.suites)
            yield mutant(
                f"the events of {suite.name}", f"without {_key(entry)}", entry.line, replaced(rules, suites=suites)
            )


def _key(entry: EventMode) -> str:
    branch = f" {entry.branch}" if entry.branch else ""
    return f"{entry.event}{branch}: {entry.mode}"


def _of_labels(rules: Rules) -> Iterator[Mutant]:
    for label in rules.labels:
        labels = tuple(other for other in rules.labels if other is not label)
        yield Mutant(
            mutation=Mutation.DROP_LABEL,
            where="labels",
            what=f"without {label.name}",
            position=(label.line, 1),
            rules=replaced(rules, labels=labels),
        )


def patterns_of(rules: Rules) -> Iterator[tuple[str, bool]]:
    """Return the patterns of all sets, each with whether it ignores case."""
    sets = [path_set for _, path_set, _ in _sets(rules)]
    for path_set in (*sets, rules.rules_files):
        for term in path_set.terms:
            if isinstance(term.matches, Pattern):
                yield term.matches.text, path_set.ignore_case
