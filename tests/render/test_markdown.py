"""The summary as GitHub's own Markdown parser reads it: our structure, and foreign text as nothing but text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

import cmarkgfm  # type: ignore[import-untyped]
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.plans import RULES_FILE, TELLING, changes, rules
from support.text import HOSTILE, any_path, any_text

from ci_classify.core.decision import decide
from ci_classify.core.errors import FallbackCause
from ci_classify.core.model import Event
from ci_classify.core.plan import Comparison, Decision, Fallback, Plan
from ci_classify.core.reasons import ConsumerRuns, LabelSelects
from ci_classify.core.text import visible
from ci_classify.formats.rules_file import load_rules
from ci_classify.render.markdown import MAX_SUMMARY_BYTES, code, plain, summary

_EVERY_PATH = load_rules(
    "version: 1\nsuites: {run-all: {inputs: [/**]}, run-one: {inputs: [/one]}}", "rules.yaml"
).rules
_OURS = frozenset(["p", "h2", "h3", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "code"])


@dataclass(frozen=True)
class Page:
    """A summary as a browser shows it."""

    root: ET.Element

    @property
    def tags(self) -> set[str]:
        return {element.tag for element in self.root.iter()} - {"page"}

    def texts(self, path: str) -> list[str]:
        return ["".join(element.itertext()) for element in self.root.findall(path)]


def render(markdown: bytes | str) -> Page:
    text = markdown if isinstance(markdown, str) else markdown.decode()
    html = cmarkgfm.github_flavored_markdown_to_html(text)
    comments = ET.TreeBuilder(insert_comments=False)
    return Page(ET.fromstring(f"<page>{html}</page>", ET.XMLParser(target=comments)))


def assert_ours(page: Page, plan: Plan) -> None:
    """Assert that a page has our structure and no other: whatever the names, they made nothing."""
    assert page.tags <= _OURS
    assert len(page.root.findall("table")) == 1
    assert page.texts(".//tbody/tr/td[1]") == [decision.name for decision in plan.outputs]
    assert page.texts(".//tbody/tr/td[2]") == ["run" if decision.runs else "skip" for decision in plan.outputs]
    titles = [f"{shown(decision.title)}: {'run' if decision.runs else 'skip'}" for decision in plan.outputs]
    assert [title.split() for title in page.texts("h3")] == [title.split() for title in titles]
    assert page.texts("h2") in ([], ["Full matrix: run"])


def shown(text: str) -> str:
    return visible(text, longest=500)


@pytest.mark.parametrize("name", TELLING)
def test_a_summary_is_a_table_and_a_section_for_each_output(name: str) -> None:
    assert_ours(render(summary(TELLING[name], RULES_FILE)), TELLING[name])


def test_the_table_comes_first() -> None:
    for plan in TELLING.values():
        assert next(iter(render(summary(plan, RULES_FILE)).root)).tag == "table"


def test_b063_each_path_is_one_code_span_and_nothing_else() -> None:
    for start in range(0, len(HOSTILE), 3):
        paths = [f"guest/{name}" for name in HOSTILE[start : start + 3]]
        plan = decide(rules(), Event(name="pull_request"), changes(*paths))
        page = render(summary(plan, RULES_FILE))
        assert_ours(page, plan)
        spans = page.texts("ul[1]/li/code[1]")
        assert spans == [visible(path) for path in paths]


@given(st.lists(any_path, min_size=1, max_size=5, unique=True))
@example(["guest/`", "guest/``", "guest/ ` "])
@example([f"guest/{'x' * 5_000}"])
def test_no_path_can_make_markup(names: Sequence[str]) -> None:
    plan = decide(_EVERY_PATH, Event(name="pull_request"), changes(*names))
    page = render(summary(plan, RULES_FILE))
    assert_ours(page, plan)
    assert page.texts("ul[1]/li/code[1]") == [visible(path) for path in names[:3]]
    more = [text for text in page.texts("ul[1]/li") if text.startswith("and ")]
    assert more == ([f"and {len(names) - 3} more"] if len(names) > 3 else [])


@given(any_text, any_text, any_text)
@example("me@example.org", "https://example.org", "www.example.org")
@example("HTTP://example.org", "ftp://example.org", "mailto:me@example.org")
@example("*a* _b_ **c** ~~d~~ `e`", "<b>f</b> &amp; &#64;", "[l](x) ![i](x) [^1] #1")
@example("a | b", "$x$ $$y$$", "\\| \\` \\")
def test_no_title_label_or_detail_can_make_markup(title: str, label: str, detail: str) -> None:
    decision = Decision(name="run-x", title=title or "x", reason=LabelSelects(label=label))
    fallback = Fallback(cause=FallbackCause.GIT_FAILED, detail=detail)
    for cause in (None, fallback):
        plan = Plan(
            event="push",
            comparison=Comparison(),
            fallback=cause,
            total_changes=0,
            documentation_changes=0,
            decisions=(decision,),
        )
        page = render(summary(plan, RULES_FILE))
        assert_ours(page, plan)


@given(any_text)
def test_plain_text_is_shown_as_it_is(text: str) -> None:
    page = render(f"x{plain(text)}x")
    assert page.tags == {"p"}
    assert "".join(page.root.itertext()).rstrip("\n") == f"x{shown(text)}x"


@given(any_path)
@example(" ")
@example("` a `")
def test_a_code_span_is_shown_as_it_is(path: str) -> None:
    page = render(f"x{code(path)}x")
    assert page.texts("p/code") == [visible(path)]


def test_b061_a_large_summary_is_cut_between_sections_and_says_so() -> None:
    plan = _large(500)
    whole = summary(plan, RULES_FILE)
    cut = summary(plan, RULES_FILE, room=len(whole) - 1)
    assert len(cut) < len(whole)
    page = render(cut)
    assert len(page.texts(".//tbody/tr")) == 500
    said = re.fullmatch(r"(\d+) more sections do not fit; see the log of the step\.", page.texts("p")[-1])
    assert said is not None
    assert len(page.texts("h3")) + int(said[1]) == 500


@pytest.mark.parametrize("room", [0, 100, 199, 201, 1_000, 40_000, 60_000, MAX_SUMMARY_BYTES])
def test_b061_a_summary_never_takes_more_than_its_room(room: int) -> None:
    text = summary(_large(500), RULES_FILE, room=room)
    assert len(text) <= room
    assert render(text).tags <= _OURS
    assert not text or text.endswith(b"\n")


def _large(count: int) -> Plan:
    names = [f"run-{'x' * 90}-{number}" for number in range(count)]
    reason = ConsumerRuns(consumers=tuple(names[:100]))
    return Plan(
        event="push",
        comparison=Comparison(),
        fallback=None,
        total_changes=1,
        documentation_changes=0,
        decisions=tuple(Decision(name=name, title="é" * 100, reason=reason) for name in names),
    )
