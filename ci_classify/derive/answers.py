"""What the rules answer about jobs and suites: paths that they read beside the derived ones, and paths to ignore."""

from collections.abc import Iterable, Iterator, Sequence

from ci_classify.core.findings import DriftCode
from ci_classify.core.model import DriftAnswer, Ignore, Rules
from ci_classify.core.record import Record
from ci_classify.core.set_evaluator import SetEvaluator
from ci_classify.derive.checkout import Checkout


class AlsoRead(Record):
    """A tracked path that an answer says is read: whose answer, by which term, on which line."""

    path: str
    name: str
    term: str
    line: int


class Answers:
    """The section ``drift`` beside a checkout; remembers which of its lines were needed."""

    def __init__(self, rules: Rules, checkout: Checkout) -> None:
        self._answers = {answer.name: answer for answer in rules.drift}
        self._ignores = [ignore for answer in rules.drift for ignore in answer.ignores]
        also = [answer.also_reads for answer in rules.drift]
        self._evaluator = SetEvaluator(rules, [*(ignore.paths for ignore in self._ignores), *also])
        self._first_also = len(self._evaluator.sets) - len(also)
        self._submodules = frozenset(checkout.submodules)
        self._needed: set[Ignore] = set()
        self._matched: set[tuple[str, int]] = set()
        self._also_read = self._find_also_read(checkout.paths if any(one.terms for one in also) else ())

    def hide(self, names: Iterable[str], path: str) -> bool:
        """Return whether any of these jobs and suites ignores a path, and remember by which lines.

        A path may also be the text of a pattern, which an equal pattern ignores.
        """
        known = [
            ignore for name in dict.fromkeys(names) if name in self._answers for ignore in self._answers[name].ignores
        ]
        if not known:
            return False
        inside = self._evaluator.containing(self._mask(path), None)
        hiding = {self._ignores[number] for number in inside if number < len(self._ignores)}
        found = [one for one in known if one in hiding or (one.paths.terms and one.paths.terms[0].text == path)]
        self._needed.update(found)
        return bool(found)

    def also_read(self, names: Iterable[str]) -> Iterator[AlsoRead]:
        """Return what the answers about these jobs and suites add."""
        for name in dict.fromkeys(names):
            yield from self._also_read.get(name, ())

    def stale(self, known_names: frozenset[str]) -> Iterator[tuple[DriftCode, DriftAnswer, str, int]]:
        """Return what answers nothing: unknown names, ignores that hid nothing, terms that match no tracked path."""
        for answer in self._answers.values():
            if answer.name not in known_names:
                yield DriftCode.DRIFT_NAME_UNKNOWN, answer, answer.name, answer.line
                continue
            for ignore in answer.ignores:
                if ignore not in self._needed:
                    path = ignore.paths.terms[0].text if ignore.paths.terms else ""
                    yield DriftCode.IGNORE_HIDES_NOTHING, answer, path, ignore.position[0]
            for index, term in enumerate(answer.also_reads.terms):
                if (answer.name, index) not in self._matched:
                    yield DriftCode.ALSO_READS_NOTHING, answer, term.text, term.line

    def _find_also_read(self, paths: Sequence[str]) -> dict[str, list[AlsoRead]]:
        found: dict[str, list[AlsoRead]] = {}
        for path in paths:
            matching = self._evaluator.matching(self._mask(path))
            for number, answer in enumerate(self._answers.values()):
                indices = matching.get(self._first_also + number, ())
                self._matched |= {(answer.name, index) for index in indices}
                term = answer.also_reads.terms[indices[-1]] if indices else None
                if term is not None and term.positive:
                    one = AlsoRead(path=path, name=answer.name, term=term.text, line=term.line)
                    found.setdefault(answer.name, []).append(one)
        return found

    def _mask(self, path: str) -> int:
        return self._evaluator.automaton.masks(path)[path in self._submodules]
