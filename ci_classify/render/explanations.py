"""What a path selects, and what the inputs of an output are, as lines of a terminal."""

from collections.abc import Iterable

from ci_classify.core.decision import mode_of
from ci_classify.core.explanation import sentence
from ci_classify.core.model import Event, PathSet, Pattern, Producer, Rules, Suite
from ci_classify.core.path_explanation import OutputForPath, PathExplanation
from ci_classify.core.reasons import InputsChanged, NoInputChanged
from ci_classify.core.set_evaluator import Match
from ci_classify.core.text import visible
from ci_classify.render.terminal import FAINT, PATH, PLAIN, RUN, SKIP, TITLE, Line

_EVENTS = ("pull_request", "push", "merge_group", "schedule", "workflow_dispatch")


def path_lines(explained: PathExplanation, rules_file: str) -> list[Line]:
    """Return what a change of a path would do: what the path is, then each output with its reason."""
    lines: list[Line] = [(0, ((visible(explained.path), PATH), (f"  {_standing(explained, rules_file)}", PLAIN)))]
    width = max(len(output.decision.name) for output in explained.outputs)
    lines += [_output(output, explained, rules_file, width) for output in explained.outputs]
    return lines


def output_lines(rules: Rules, output: Suite | Producer) -> list[Line]:
    """Return what selects an output: its inputs with the sets written out, or its consumers."""
    name = () if output.title == output.name else ((f"  {output.name}", FAINT),)
    lines: list[Line] = [(0, ((output.title, TITLE), *name))]
    if isinstance(output, Suite):
        lines += _suite(rules, output)
    else:
        lines.append((2, ((f"true exactly when one of these is: {', '.join(output.consumers)}", PLAIN),)))
    users = [producer.name for producer in rules.producers if output.name in producer.consumers]
    if users:
        lines.append((2, ((f"needs the output of {', '.join(users)}", PLAIN),)))
    return lines


def _standing(explained: PathExplanation, rules_file: str) -> str:
    verdict = explained.verdict
    if verdict.control:
        return f"decides CI itself{_by(verdict.control, rules_file)}"
    if verdict.documentation:
        return f"is documentation{_by(verdict.documentation, rules_file)}"
    if verdict.inputs:
        return f"is in the inputs of {len(verdict.inputs)} suite{'s' if len(verdict.inputs) > 1 else ''}"
    if verdict.unaffecting:
        return f"affects no suite{_by(verdict.unaffecting, rules_file)}"
    return "is claimed by no suite"


def _output(output: OutputForPath, explained: PathExplanation, rules_file: str, width: int) -> Line:
    decision = output.decision
    word = ("run   ", RUN) if decision.runs else ("skip  ", SKIP)
    why = sentence(decision.reason, explained.plan)
    match decision.reason:
        case InputsChanged() if output.match is not None:
            why = f"Matched{_term(output.match, rules_file)}"
        case NoInputChanged() if output.match is not None:
            why = f"Left out{_term(output.match, rules_file)}"
        case NoInputChanged():
            why = "No term of its inputs matches."
        case _:
            pass
    return (2, (word, (f"{decision.name:{width}}", TITLE), (f"  {visible(why, longest=400)}", PLAIN)))


def _by(pattern: Pattern, rules_file: str) -> str:
    if not pattern.line:
        return ", as every rules file does"
    return f" by {visible(pattern.text)}  {rules_file}:{pattern.line}"


def _term(match: Match, rules_file: str) -> str:
    """Return the term that decided, and the pattern inside of the set that it names."""
    term = f" by {visible(match.term.text)}  {rules_file}:{match.term.line}"
    inner = match.pattern
    return term if inner is match.term.matches else f"{term} ({visible(inner.text)}  {rules_file}:{inner.line})"


def _suite(rules: Rules, suite: Suite) -> Iterable[Line]:
    modes = ", ".join(f"{name}: {mode_of(rules, suite, Event(name=name))}" for name in _EVENTS)
    yield (2, ((f"modes      {modes}", PLAIN),))
    yield (2, ((f"empty diff {'runs' if suite.empty_diff_runs else 'skips'} it", PLAIN),))
    if suite.keeps_documentation:
        yield (2, (("sees documentation too", PLAIN),))
    for label in rules.labels:
        if label.selects_everything or suite.name in label.selects:
            yield (2, ((f"label      {visible(label.name)} selects it", PLAIN),))
        if suite.name in label.skips:
            yield (2, ((f"label      {visible(label.name)} skips it", PLAIN),))
    if suite.inputs is None:
        yield (2, (("inputs     none: only its modes select it", PLAIN),))
        return
    yield (2, (("inputs     the last line that matches a path decides", PLAIN),))
    yield from _terms(rules, suite.inputs, 4, set())


def _terms(rules: Rules, path_set: PathSet, indent: int, shown: set[str]) -> Iterable[Line]:
    """Return the terms of a set, with each named set written out where it is first used."""
    limits = ["any letter case"] if path_set.ignore_case else []
    if path_set.changes is not None:
        limits.append("only " + ", ".join(sorted(path_set.changes)))
    if limits:
        yield (indent, ((f"({'; '.join(limits)})", FAINT),))
    for term in path_set.terms:
        name = None if isinstance(term.matches, Pattern) else term.matches.name
        above = ", written out above" if name in shown else ""
        yield (indent, ((visible(term.text), PATH), (f"  {rules.file}:{term.line}{above}", FAINT)))
        if name is not None and name not in shown:
            shown.add(name)
            yield from _terms(rules, rules.sets[name], indent + 2, shown)
