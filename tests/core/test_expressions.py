"""Expressions as GitHub reads them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.text import any_text

from ci_classify.core.expressions import (
    Expression,
    ExpressionError,
    below,
    is_text_condition,
    parse_condition,
    parse_expression,
    path_of,
    written,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("needs.changes.outputs.run-gpu == 'true'", "needs.changes.outputs.run-gpu == 'true'"),
        ("Needs['Changes'].Result", "needs.changes.result"),
        ("needs.*.result", "needs.*.result"),
        ("github.event.labels[*].name", "github.event.labels.*.name"),
        ("matrix.os[0]", "matrix.os[0.0]"),
        ("a || b && c == d", "a || (b && c == d)"),
        ("(a || b) && !c", "(a || b) && !c"),
        ("a < b == c", "(a < b) == c"),
        ("!(a && b)", "!(a && b)"),
        ("ALWAYS ( )", "always()"),
        ("contains(fromJSON('[\"x\"]'), 'it''s')", "contains(fromjson('[\"x\"]'), 'it''s')"),
        ("format('{0}', 0xff)", "format('{0}', 255.0)"),
        ("-1.5e2 == null", "-150.0 == null"),
        ("TRUE || False", "true || false"),
        (" \t\na\n", "a"),
    ],
)
def test_an_expression_is_read(text: str, shown: str) -> None:
    assert written(parse_expression(text)) == shown
    assert parse_expression(shown) == parse_expression(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "a ||",
        "|| a",
        "(a",
        "a)",
        "a b",
        '"a"',
        "a.",
        "a.1",
        "a[",
        "a[0",
        "f(a",
        "f(a,)",
        "a = b",
        "'a",
        "1.2.3",
        "(" * 60 + "a" + ")" * 60,
        "!" * 60 + "a",
        "a" + ".b" * 60,
        "a" + " == b" * 60,
    ],
)
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse_expression(text)


@pytest.mark.parametrize(
    ("text", "shown", "is_text"),
    [
        ("always()", "always()", False),
        ("${{ always() }}", "always()", False),
        ("${{ a == '}}' }}", "a == '}}'", False),
        ("${{ a }} == 'b'", None, True),
        ("!${{ a }}", None, True),
        ("${{ a }}\n", None, True),
        ("${{ a }} && ${{ b }}", None, True),
    ],
)
def test_a_condition_is_one_expression_or_else_a_text(text: str, shown: str | None, *, is_text: bool) -> None:
    assert is_text_condition(text) is is_text
    assert written(parse_condition(text)) == (shown or "'" + text.replace("'", "''") + "'")


def test_a_long_chain_is_read_without_depth() -> None:
    assert len(list(below(parse_expression(" || ".join(["a"] * 5_000))))) == 5_001


@given(st.text(alphabet="ab.[]()'!&|=<>,*-0 \n$}{\"", max_size=40) | any_text)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        expression: Expression = parse_condition(text)
    except ExpressionError:
        return
    assert parse_expression(written(expression)) == expression
    assert all(path_of(part) is None or path_of(part) for part in below(expression))
