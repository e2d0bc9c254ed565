"""A first rules file, drafted from what jobs read.

Every job that a condition could gate becomes a suite of its own name, so that `drift` knows it before anything is
wired. A job that others wait for becomes a producer, and so does one that reads exactly what another one does. Left
out are jobs that run whatever happens, that decide about others, that don't run for pull requests, that read nothing,
and those whose name can't be that of an output.
"""

from collections.abc import Iterator, Sequence

from ci_classify.core.draft import Draft, DraftLine, DraftProducer, DraftSet, DraftSuite
from ci_classify.core.gate_checks import may_run_for_a_pull_request
from ci_classify.core.model import Rules
from ci_classify.core.patterns import PatternError, compile_pattern, literal_pattern
from ci_classify.core.wiring import Wiring
from ci_classify.core.workflow import Job, reads_of_needs
from ci_classify.derive.closure import Closure, Deriver
from ci_classify.derive.found import JobBody
from ci_classify.derive.jobs import Selection
from ci_classify.derive.library import Library
from ci_classify.derive.readings import Way
from ci_classify.formats.rules_file import OWN_OUTPUTS, is_output_name

_TRIGGERS = frozenset({"pull_request", "pull_request_target", "push", "merge_group"})
_MOST_UNRESOLVED = 5
_MOST_LABELS = 3  # of a way, in a comment

Paths = dict[str, Way]


def draft(library: Library, given: Sequence[str]) -> Draft:
    """Return a draft for these workflows; without any, for all that run for changes."""
    workflows = {path: found for path in library.workflow_files() if (found := library.workflow(path))}
    chosen = given or [path for path, found in workflows.items() if _TRIGGERS & (found.triggers or {}).keys()]
    wirings = [
        Wiring(Rules(file=""), found, workflows, OWN_OUTPUTS) for path in chosen if (found := library.workflow(path))
    ]
    return _Draft(library, wirings).draft()


class _Draft:
    def __init__(self, library: Library, wirings: Sequence[Wiring]) -> None:
        self._library = library
        self._wirings = wirings
        self._deriver = Deriver(library)
        self._control = tuple(wiring.workflow.file for wiring in wirings)
        self._left_out: dict[str, str] = {}

    def draft(self) -> Draft:
        """Return the draft."""
        jobs = [(wiring, job) for wiring in self._wirings for job in self._gateable(wiring)]
        producers = {job.id: users for wiring, job in jobs if (users := self._users(wiring, job, jobs))}
        read: dict[str, Paths] = {}
        unresolved: dict[str, list[str]] = {}
        for wiring, job in jobs:
            if job.id not in producers:
                self._read(wiring, job, read.setdefault(job.id, {}), unresolved.setdefault(job.id, []))
        for name in [name for name, paths in read.items() if not paths]:
            del read[name]
            self._left_out[name] = "it reads nothing of the repository that can be seen"
        twins = _twins(read)
        patterns = {name: self._patterns(read[name]) for name in read if name not in twins}
        sets = _shared(patterns)
        made = [DraftProducer(name=name, consumers=users, why="they wait for it") for name, users in producers.items()]
        made += [DraftProducer(name=name, consumers=(twin,), why="it reads the same") for name, twin in twins.items()]
        return Draft(
            control=self._control,
            sets=tuple(sets),
            suites=tuple(_suite(name, lines, sets, unresolved[name]) for name, lines in patterns.items()),
            producers=tuple(one for one in made if self._has_consumers(one)),
            left_out=tuple(self._left_out.items()),
        )

    def _has_consumers(self, producer: DraftProducer) -> bool:
        if all(name in self._left_out for name in producer.consumers):
            self._left_out[producer.name] = "no suite waits for it"
            return False
        return True

    def _gateable(self, wiring: Wiring) -> Iterator[Job]:
        selection = Selection(wiring)
        deciding = {name for job in wiring.workflow.jobs.values() for name in _read_in_condition(job)}
        asked = "pull_request" in (wiring.workflow.triggers or {})
        for job in wiring.workflow.jobs.values():
            if not is_output_name(job.id) or job.id.lower() in OWN_OUTPUTS:
                self._left_out[job.id] = "its name can't be that of an output"
            elif job.id.lower() in deciding:
                self._left_out[job.id] = "it decides about others"
            elif asked and not may_run_for_a_pull_request(wiring, job):
                self._left_out[job.id] = "it does not run for pull requests"
            elif job.needed and not _read_in_condition(job) and not selection.waits(job):
                self._left_out[job.id] = "it runs whatever the others do"
            else:
                yield job

    def _users(self, wiring: Wiring, job: Job, jobs: Sequence[tuple[Wiring, Job]]) -> tuple[str, ...]:
        return tuple(other.id for where, other in jobs if where is wiring and job.id in other.needed)

    def _read(self, wiring: Wiring, job: Job, paths: Paths, unresolved: list[str]) -> None:
        """Add what a job and those that it waits for read, each path with the shortest way to it."""
        for used, labels in Selection(wiring).used(job):
            closure = self._closure(wiring, used)
            for derived in closure.paths:
                way = Way(job=used.id, labels=labels, derived=derived)
                known = paths.get(derived.path)
                if derived.path not in self._control and (known is None or len(way.chain) < len(known.chain)):
                    paths[derived.path] = way
            unresolved += [f"{one.place.file}:{one.place.line}: {one.why}" for one in closure.unclear]

    def _closure(self, wiring: Wiring, job: Job) -> Closure:
        return self._deriver.closure(JobBody(file=wiring.workflow.file, job=job.id))

    def _patterns(self, paths: Paths) -> dict[str, str]:
        """Return patterns that take the paths, directories that are read as a whole by one; each with the way to it."""
        checkout = self._library.checkout
        if len(paths) == len([path for path in checkout.paths if path not in self._control]):
            return {"*": _why(next(iter(paths.values())))}
        found: dict[str, str] = {}
        done = ""
        for path in sorted(paths):
            if done and path.startswith(done):
                continue
            whole = next((above for above in _above(path) if self._is_whole(above, paths)), None)
            done = f"{whole}/" if whole is not None else ""
            pattern = f"{literal_pattern(whole)}/" if whole is not None else literal_pattern(path)
            found[_accepted(pattern)] = _why(paths[path])
        return found

    def _is_whole(self, directory: str, paths: Paths) -> bool:
        below = self._library.checkout.below(directory)
        several = len(below) > 1 or not paths.get(below[0], paths[next(iter(paths))]).derived.exact
        return several and directory not in self._library.checkout.submodules and all(path in paths for path in below)


def _read_in_condition(job: Job) -> set[str]:
    """Return the jobs whose outputs the condition of a job reads."""
    at = job.condition.position if job.condition else None
    reads = (read for read in reads_of_needs(job) if read.position == at and read.part[:1] == ("outputs",))
    return {read.job for read in reads if read.job is not None}


def _above(path: str) -> Iterator[str]:
    """Return the directories of a path, from the top."""
    parts = path.split("/")[:-1]
    return ("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))


def _accepted(pattern: str) -> str:
    """Return a pattern that the rules accept: where a name can't be written, ? stands for its characters."""
    try:
        compile_pattern(pattern)
    except PatternError:
        return "".join(character if character.isprintable() and character != "\\" else "?" for character in pattern)
    return pattern


def _why(way: Way) -> str:
    """Return the way to a path in short: how it begins, and how it ends."""
    labels = way.chain[1:-1] or way.chain[:1]
    shown = labels if len(labels) <= _MOST_LABELS else (labels[0], "...", labels[-1])
    return " -> ".join(shown)


def _twins(read: dict[str, Paths]) -> dict[str, str]:
    """Return the jobs that read exactly what an earlier one does, each with that one."""
    first: dict[frozenset[str], str] = {}
    found = {}
    for name, paths in read.items():
        known = first.setdefault(frozenset(paths), name)
        if known != name:
            found[name] = known
    return found


def _shared(patterns: dict[str, dict[str, str]]) -> list[DraftSet]:
    """Return sets of the lines that the same suites share, two lines or more."""
    users: dict[str, list[str]] = {}
    for name, lines in patterns.items():
        for pattern in lines:
            users.setdefault(pattern, []).append(name)
    groups: dict[tuple[str, ...], list[str]] = {}
    for pattern, names in users.items():
        if len(names) > 1:
            groups.setdefault(tuple(names), []).append(pattern)
    found: list[DraftSet] = []
    for sharing, group in sorted(groups.items(), key=lambda item: (-len(item[0]), item[0])):
        if len(group) > 1:
            shared = tuple(DraftLine(pattern=pattern, why=patterns[sharing[0]][pattern]) for pattern in group)
            name = "common" if len(sharing) == len(patterns) else f"shared-{len(found) + 1}"
            found.append(DraftSet(name=name, users=sharing, lines=shared))
    return found


def _suite(name: str, lines: dict[str, str], sets: Sequence[DraftSet], unresolved: Sequence[str]) -> DraftSuite:
    used = [one for one in sets if name in one.users]
    shared = {line.pattern for one in used for line in one.lines}
    known = list(dict.fromkeys(unresolved))
    more = [f"and {len(known) - _MOST_UNRESOLVED} more"] if len(known) > _MOST_UNRESOLVED else []
    return DraftSuite(
        name=name,
        sets=tuple(one.name for one in used),
        lines=tuple(DraftLine(pattern=pattern, why=why) for pattern, why in lines.items() if pattern not in shared),
        unresolved=(*known[:_MOST_UNRESOLVED], *more),
    )
