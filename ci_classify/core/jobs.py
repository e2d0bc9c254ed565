"""Which jobs run for which outputs: by the required check where the rules have one, else by name.

Without a required check, a job belongs to the output of its name.
"""

from collections.abc import Iterable

from ci_classify.core.model import Rules
from ci_classify.core.required import Circumstances, Expected, judge

_MOST_CACHED = 10_000


class Jobs:
    """The jobs of some rules for an event, as if it came from the repository itself."""

    def __init__(self, rules: Rules, event: str) -> None:
        self._check = rules.required_check
        self._circumstances = Circumstances(event=event, same_repository=True)
        self._outputs = [output.name for output in rules.outputs]
        names = [job.name for job in self._check.jobs] if self._check else self._outputs
        self.names = tuple(names)
        self._known: dict[tuple[str, ...], tuple[frozenset[str], tuple[str, ...]]] = {}

    def running(self, selected: tuple[str, ...]) -> tuple[str, ...]:
        """Return the jobs that run where some outputs are true, in the order of the rules."""
        return self._split(selected)[1]

    def skipped(self, selected: tuple[str, ...]) -> frozenset[str]:
        """Return the jobs that are skipped because of outputs: they would run if every output were true."""
        return self._split(selected)[0]

    def named(self, name: str) -> str | None:
        """Return the job that a name of the hosting API means, or None.

        The API names a leg of a matrix ``job (leg)`` and a job of a reusable workflow ``job / inner``.
        """
        for form in _forms(name):
            if form in self.names:
                return form
        return None

    def output_of(self, job: str) -> str:
        """Return the output that decides about a job, or the job where that is another's need."""
        if self._check is None:
            return job
        by_name = {judged.name: judged for judged in self._check.jobs}
        return by_name[job].output or job

    def _split(self, selected: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
        known = self._known.get(selected)
        if known is None:
            if len(self._known) >= _MOST_CACHED:
                self._known.clear()
            everything = self._running(self._outputs)
            running = self._running(selected)
            known = self._known[selected] = (frozenset(everything) - frozenset(running), running)
        return known

    def _running(self, selected: Iterable[str]) -> tuple[str, ...]:
        true = set(selected)
        if self._check is None:
            return tuple(name for name in self._outputs if name in true)
        outputs = {name: name in true for name in self._outputs}
        results = {self._check.detector: "success"}
        judged = judge(self._check, self._circumstances, results, outputs).results[1:]
        return tuple(result.job for result in judged if result.expected is Expected.SUCCESS)


def _forms(name: str) -> Iterable[str]:
    yield name
    outer = name.split(" / ", maxsplit=1)[0]
    yield outer
    if outer.endswith(")"):
        yield outer.split(" (", maxsplit=1)[0]
