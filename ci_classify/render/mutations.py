"""What became of mutants, as text and JSON; survivors with an example to paste."""

import json
import re
from collections import Counter
from collections.abc import Sequence

from ci_classify.core.model import ChangeType
from ci_classify.core.mutation import Fate, Proposal, Verdict
from ci_classify.core.text import visible
from ci_classify.render.plan_json import json_text

_PLAIN = re.compile(r"[A-Za-z/.][A-Za-z0-9_./-]*")
_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n", "."})


def mutations_text(verdicts: Sequence[Verdict], file: str) -> str:
    """Return the survivors by the example that would notice them, each with its line, then the counts."""
    lines: list[str] = []
    groups: dict[tuple[str, ...], list[str]] = {}
    for verdict in verdicts:
        if verdict.fate is Fate.SURVIVED:
            line, column = verdict.mutant.position
            told = f"{visible(file)}:{line}:{column}: nothing notices {_what(verdict)}"
            groups.setdefault(tuple(example_lines(verdict)), []).append(told)
    for example, survivors in groups.items():
        lines += [*survivors, *(f"    {text}" for text in example)]
    counts = Counter(verdict.fate for verdict in verdicts)
    killed = sum(count for fate, count in counts.items() if fate.is_killed)
    parts = [
        f"{len(verdicts)} mutant{'' if len(verdicts) == 1 else 's'}",
        f"{killed} killed",
        f"{counts[Fate.SURVIVED]} survived",
    ]
    parts.append(f"{counts[Fate.EQUIVALENT]} equivalent")
    parts += [f"{counts[Fate.UNDECIDED]} undecided"] if counts[Fate.UNDECIDED] else []
    return "".join(f"{line}\n" for line in (*lines, ", ".join(parts)))


def mutations_json(verdicts: Sequence[Verdict], file: str) -> str:
    """Return all mutants as JSON."""
    counts = Counter(verdict.fate for verdict in verdicts)
    facts = {
        "schema": 1,
        "file": file,
        "mutants": len(verdicts),
        "counts": {fate.value: counts[fate] for fate in Fate},
        "results": [_entry(verdict) for verdict in verdicts],
    }
    return json_text(facts) + "\n"


def example_lines(verdict: Verdict) -> list[str]:
    """Return an example that would kill a survivor, as lines of YAML below ``examples:``."""
    proposal = verdict.proposal
    if proposal is None:
        return []
    situation = proposal.situation
    lines = [f"- name: {_quoted(_name(proposal))}"]
    if situation.event.name != "pull_request":
        lines.append(f"  event: {_quoted(situation.event.name)}")
    if situation.event.branch is not None:
        lines.append(f"  branch: {_quoted(situation.event.branch)}")
    if situation.event.labels:
        lines.append(f"  labels: [{', '.join(map(_quoted, situation.event.labels))}]")
    lines.append(f"  changed: [{_change(proposal)}]")
    lines.append(f"  selects: [{', '.join(proposal.selects)}]")
    return lines


def _what(verdict: Verdict) -> str:
    return f"{visible(verdict.mutant.where)} {visible(verdict.mutant.what)}"


def _name(proposal: Proposal) -> str:
    """Return what the example says; a person knows why it should be so."""
    situation, names = proposal.situation, proposal.selects
    path = "a change of no path" if situation.path is None else visible(situation.path)
    path += "" if situation.type is ChangeType.MODIFIED else f" ({situation.type})"
    what = f"{len(names)} outputs" if len(names) > 3 else ", ".join(names) or "nothing"
    event = "" if situation.event.name == "pull_request" else visible(situation.event.name)
    words = (event, situation.event.branch or "", *(f"with {visible(label)}" for label in situation.event.labels))
    when = " ".join(word for word in words if word)
    return f"{path} selects {what}{' on ' if event else ' ' if when else ''}{when}"


def _change(proposal: Proposal) -> str:
    path = proposal.situation.path
    if path is None:
        return ""
    if proposal.situation.type is ChangeType.MODIFIED:
        return _quoted(path)
    return f"{{path: {_quoted(path)}, change: {proposal.situation.type}}}"


def _quoted(text: str) -> str:
    """Return text as YAML: plain where nothing in it could be read as something else."""
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return json.dumps(text, ensure_ascii=True)


def _entry(verdict: Verdict) -> dict[str, object]:
    line, column = verdict.mutant.position
    return {
        "mutation": verdict.mutant.mutation.value,
        "where": verdict.mutant.where,
        "what": verdict.mutant.what,
        "line": line,
        "column": column,
        "fate": verdict.fate.value,
        "by": verdict.by or None,
        "example": _example(verdict.proposal),
        "paste": "".join(f"{text}\n" for text in example_lines(verdict)) or None,
    }


def _example(proposal: Proposal | None) -> dict[str, object] | None:
    if proposal is None:
        return None
    situation = proposal.situation
    path = situation.path
    changed = [] if path is None else [{"path": path, "change": situation.type.value}]
    return {
        "event": situation.event.name,
        "branch": situation.event.branch,
        "labels": situation.event.labels,
        "changed": changed,
        "selects": proposal.selects,
    }
