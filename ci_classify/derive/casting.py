"""What the jobs of workflows could be in rules that nobody has written yet.

Every job that a condition could gate becomes a suite of its own name, so that `drift` knows it before anything is
wired. A job that others wait for becomes a producer for them. Left out are jobs that run whatever happens, that decide
about others, that don't run for pull requests, and those whose name can't be that of an output.
"""

from collections.abc import Iterable, Iterator, Sequence

from ci_classify.core.gate_checks import REQUIRED_BY, may_run_for
from ci_classify.core.record import Record
from ci_classify.core.wiring import Wiring
from ci_classify.core.workflow import Job, reads_of_needs
from ci_classify.derive.jobs import Selection
from ci_classify.formats.declared_names import OWN_OUTPUTS, is_output_name


class Placed(Record):
    """A job of a workflow: whether changes are what it runs for, why it can't be gated, and what it reads with."""

    wiring: Wiring
    job: Job
    for_changes: bool
    decides: bool
    waits: bool
    reason: str | None


class Casting:
    """The part of each job. Jobs of one name, in several workflows, play one part.

    ``consumers`` holds the producers, each with what waits for it; ``left_out`` all jobs that are neither suites nor
    producers, each with the reason.
    """

    def __init__(self, wirings: Sequence[Wiring]) -> None:
        self._placed = [one for wiring in wirings for one in _placed(wiring)]
        self._names: dict[str, str] = {}  # by the lower case, since outputs differ in more than that
        for one in self._placed:
            if one.reason is None:
                self._names.setdefault(one.job.id.lower(), one.job.id)
        self.left_out = {one.job.id: one.reason for one in self._placed if one.reason and not self._named([one.job.id])}
        self.consumers = {name: users for name in self._names.values() if (users := self._users(name))}
        for name in [name for name in self.consumers if not self.suites(name)]:
            self.leave_out(name, "jobs wait for each other")

    def leave_out(self, name: str, reason: str) -> None:
        """Leave a suite out, and all producers that only it consumes."""
        self.consumers.pop(name, None)
        self.left_out[name] = reason
        for producer, users in list(self.consumers.items()):
            if producer in self.consumers and all(user in self.left_out for user in users):
                self.leave_out(producer, "no suite waits for it")

    def suites(self, name: str) -> list[str]:
        """Return the suites that make an output true: itself, or the last of its consumers."""
        reached = [name]
        for one in reached:
            reached += [user for user in self.consumers.get(one, ()) if user not in reached]
        return [one for one in reached if one not in self.consumers and one not in self.left_out]

    def decides(self, wiring: Wiring, job: Job) -> bool:
        """Return whether conditions read the outputs of a job."""
        return any(one.decides for one in self._placed if one.job is job and one.wiring is wiring)

    def readers(self) -> Iterator[tuple[str, Placed]]:
        """Return suites with the jobs whose reads are theirs: those of their name, and those skipped with them."""
        for one in self._placed:
            if one.for_changes:
                yield from ((suite, one) for suite in self._gating(one))

    def waiting(self) -> dict[str, list[str]]:
        """Return suites with the jobs, none of them for pull requests, that are skipped with them."""
        found: dict[str, list[str]] = {}
        for one in self._placed:
            for suite in () if one.for_changes else self._gating(one):
                found.setdefault(suite, []).append(one.job.id)
        return found

    def _gating(self, one: Placed) -> list[str]:
        """Return the suites without which a job is skipped."""
        above = sorted(one.wiring.workflow.ancestors(one.job)) if one.waits else ()
        names = self._named([one.job.id]) or self._named(above)
        return list(dict.fromkeys(suite for name in names for suite in self.suites(name)))

    def _named(self, jobs: Iterable[str]) -> list[str]:
        """Return the names of those jobs that are not left out."""
        return [self._names[job.lower()] for job in jobs if job.lower() in self._names]

    def _users(self, name: str) -> tuple[str, ...]:
        """Return the names that wait for one, through jobs that are left out too."""
        reached = [name]
        for one in reached:
            if one == name or not self._named([one]):
                users = (other.job.id for other in self._placed if other.for_changes and one in other.job.needed)
                reached += [user for user in dict.fromkeys(users) if user not in reached]
        return tuple(dict.fromkeys(user for user in self._named(reached[1:]) if user != name))


def _placed(wiring: Wiring) -> Iterator[Placed]:
    workflow = wiring.workflow
    selection = Selection(wiring)
    deciding = {name for job in workflow.jobs.values() for name in _read_in_condition(job)}
    asked = "pull_request" in (workflow.triggers or {})
    for job in workflow.jobs.values():
        waits = selection.waits(job)
        decides = job.id.lower() in deciding
        for_changes = not asked or may_run_for(wiring, job, REQUIRED_BY)
        reason = None
        if not is_output_name(job.id) or job.id.lower() in OWN_OUTPUTS:
            reason = "its name can't be that of an output"
        elif decides:
            reason = "it decides about others"
        elif not for_changes:
            reason = "it does not run for pull requests"
        elif job.needed and not waits and not _read_in_condition(job):
            reason = "it runs whatever the others do"
        yield Placed(wiring=wiring, job=job, for_changes=for_changes, decides=decides, waits=waits, reason=reason)


def _read_in_condition(job: Job) -> set[str]:
    """Return the jobs whose outputs the condition of a job reads."""
    at = job.condition.position if job.condition else None
    reads = (read for read in reads_of_needs(job) if read.position == at and read.part[:1] == ("outputs",))
    return {read.job for read in reads if read.job is not None}
