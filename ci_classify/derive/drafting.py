"""A first rules file, drafted from what jobs read.

Inputs are what was derived, the part that suites share in sets. Files that nothing is seen to read go to the suites of
which not all is known; where all is known, a change of them matters to nobody. A job that reads exactly what another
one does becomes a producer of it, and one that reads nothing is left out.
"""

from collections.abc import Iterator, Mapping, Sequence

from ci_classify.core.draft import Draft, DraftProducer, DraftSet, DraftSuite
from ci_classify.core.model import Rules
from ci_classify.core.patterns import PatternError, compile_pattern, human_doubts, literal_pattern
from ci_classify.core.wiring import Wiring
from ci_classify.derive.casting import Casting, Placed
from ci_classify.derive.checkout import Checkout
from ci_classify.derive.closure import Closure, Deriver
from ci_classify.derive.found import JobBody
from ci_classify.derive.jobs import Selection
from ci_classify.derive.library import Library
from ci_classify.derive.readings import Way
from ci_classify.formats.declared_names import OWN_OUTPUTS

_TRIGGERS = frozenset({"pull_request", "pull_request_target", "push", "merge_group"})
_MOST_UNRESOLVED = 5
_MOST_LABELS = 3  # of a way, in a comment
_REST = "nothing is seen to read these: they are claimed by the suites of which not all is known"


class _Read:
    """What a suite reads: each path with the shortest way to it, and what only a run knows."""

    def __init__(self) -> None:
        self.paths: dict[str, Way] = {}
        self.unresolved: dict[str, None] = {}

    def add(self, way: Way) -> None:
        known = self.paths.get(way.derived.path)
        if known is None or len(way.chain) < len(known.chain):
            self.paths[way.derived.path] = way


def draft(library: Library, given: Sequence[str], rules_files: Sequence[str]) -> Draft:
    """Return a draft for these workflows; without any, for all that run for changes."""
    workflows = {path: found for path in library.workflow_files() if (found := library.workflow(path))}
    chosen = given or [path for path, found in workflows.items() if _TRIGGERS & (found.triggers or {}).keys()]
    wirings = [
        Wiring(Rules(file=""), found, workflows, OWN_OUTPUTS) for path in chosen if (found := library.workflow(path))
    ]
    return _Draft(library, wirings, rules_files).draft()


class _Draft:
    def __init__(self, library: Library, wirings: Sequence[Wiring], rules_files: Sequence[str]) -> None:
        self._checkout = library.checkout
        self._deriver = Deriver(library)
        self._control = tuple(wiring.workflow.file for wiring in wirings)
        self._no_inputs = {*self._control, *rules_files}
        self._casting = Casting(wirings)

    def draft(self) -> Draft:
        """Return the draft."""
        casting = self._casting
        read = self._readings()
        for name in [name for name, one in read.items() if not one.paths]:
            casting.leave_out(name, "it reads nothing of the repository that can be seen")
            del read[name]
        twins = _twins(read)
        for name, twin in twins.items():
            casting.consumers[name] = (twin,)
            read[twin].unresolved |= read.pop(name).unresolved
        waiting = casting.waiting()
        patterns = {name: self._lines(name, one.paths) for name, one in read.items()}
        sets = _shared(patterns)
        rest = self._rest(read)
        unknown = tuple(name for name, one in read.items() if one.unresolved)
        if rest and unknown:
            sets.append(DraftSet(name="rest", users=unknown, why=_REST, lines=dict.fromkeys(rest, "")))
        return Draft(
            control=self._control,
            unaffecting=() if unknown else rest,
            sets=tuple(sets),
            suites=tuple(
                _suite(name, lines, sets, tuple(read[name].unresolved), waiting) for name, lines in patterns.items()
            ),
            producers=tuple(self._producers(twins)),
            left_out=casting.left_out,
        )

    def _producers(self, twins: Mapping[str, str]) -> Iterator[DraftProducer]:
        for name, users in self._casting.consumers.items():
            why = "it reads the same" if name in twins else "they wait for it"
            consumers = tuple(user for user in users if user not in self._casting.left_out)
            yield DraftProducer(name=name, consumers=consumers, why=why)

    def _readings(self) -> dict[str, _Read]:
        found: dict[str, _Read] = {}
        for suite, placed in self._casting.readers():
            self._read(placed, found.setdefault(suite, _Read()))
        return found

    def _read(self, placed: Placed, read: _Read) -> None:
        """Add what a job and those that it waits for read. What a job that decides reads is known to be little."""
        for used, labels in Selection(placed.wiring).used(placed.job):
            closure = self._closure(placed.wiring.workflow.file, used.id)
            for derived in closure.paths:
                if derived.path not in self._no_inputs:
                    read.add(Way(job=used.id, labels=labels, derived=derived))
            if not self._casting.decides(placed.wiring, used):
                read.unresolved |= {f"{one.place.file}:{one.place.line}: {one.why}": None for one in closure.unclear}

    def _closure(self, file: str, job: str) -> Closure:
        return self._deriver.closure(JobBody(file=file, job=job))

    def _lines(self, name: str, paths: Mapping[str, Way]) -> dict[str, str]:
        """Return the patterns of what a suite reads, each with the way to the first of its paths."""
        return {pattern: _why(name, paths[first]) for pattern, first in self._patterns(paths).items()}

    def _rest(self, read: Mapping[str, _Read]) -> tuple[str, ...]:
        """Return the patterns of what no suite reads."""
        known = self._no_inputs.union(*(one.paths for one in read.values()))
        return tuple(self._patterns({path: None for path in self._checkout.paths if path not in known}))

    def _patterns(self, paths: Mapping[str, Way | None]) -> dict[str, str]:
        """Return patterns that take exactly the paths, each with the first of them; whole directories by one."""
        if paths and len(paths) == sum(path not in self._no_inputs for path in self._checkout.paths):
            return {"*": next(iter(paths))}
        found: dict[str, str] = {}
        done = ""
        for path in sorted(paths):
            if done and path.startswith(done):
                continue
            whole = next((above for above in _above(path) if _is_whole(self._checkout, above, paths)), None)
            done = f"{whole}/" if whole is not None else ""
            pattern = f"{literal_pattern(whole)}/" if whole is not None else literal_pattern(path)
            found[_accepted(pattern)] = path
        return found


def _is_whole(checkout: Checkout, directory: str, paths: Mapping[str, Way | None]) -> bool:
    below = checkout.below(directory)
    if directory in checkout.submodules or not all(path in paths for path in below):
        return False
    way = paths[below[0]]
    return len(below) > 1 or way is None or not way.derived.exact


def _above(path: str) -> Iterator[str]:
    """Return the directories of a path, from the top."""
    parts = path.split("/")[:-1]
    return ("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))


def _accepted(pattern: str) -> str:
    """Return a pattern that is accepted without a doubt: ? stands for a character that would raise one."""
    try:
        compile_pattern(pattern)
    except PatternError:
        return "".join(character if character.isprintable() and character != "\\" else "?" for character in pattern)
    return pattern.replace("{", "?") if human_doubts(pattern) else pattern


def _why(name: str, way: Way) -> str:
    """Return the way to a path in short: how it begins, and how it ends; a suite's own job goes without saying."""
    labels = way.chain[int(way.chain[0] == f"job {name}") : -1] or way.chain[:1]
    shown = labels if len(labels) <= _MOST_LABELS else (labels[0], "...", labels[-1])
    return " -> ".join(shown)


def _twins(read: Mapping[str, _Read]) -> dict[str, str]:
    """Return the suites that read exactly what an earlier one does, each with that one."""
    first: dict[frozenset[str], str] = {}
    found = {}
    for name, one in read.items():
        known = first.setdefault(frozenset(one.paths), name)
        if known != name:
            found[name] = known
    return found


def _shared(patterns: Mapping[str, Mapping[str, str]]) -> list[DraftSet]:
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
            lines = {pattern: patterns[sharing[0]][pattern] for pattern in group}
            name = "common" if len(sharing) == len(patterns) else f"shared-{len(found) + 1}"
            found.append(DraftSet(name=name, users=sharing, why=f"read by {', '.join(sharing)}", lines=lines))
    return found


def _suite(
    name: str,
    lines: Mapping[str, str],
    sets: Sequence[DraftSet],
    unresolved: Sequence[str],
    waiting: Mapping[str, Sequence[str]],
) -> DraftSuite:
    used = [one for one in sets if name in one.users]
    more = [f"and {len(unresolved) - _MOST_UNRESOLVED} more"] if len(unresolved) > _MOST_UNRESOLVED else []
    return DraftSuite(
        name=name,
        sets=tuple(one.name for one in used),
        lines={pattern: why for pattern, why in lines.items() if not any(pattern in one.lines for one in used)},
        unresolved=(*unresolved[:_MOST_UNRESOLVED], *more),
        waiting=tuple(waiting.get(name, ())),
    )
