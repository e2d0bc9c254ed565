"""What git prints of differences becomes changes, or is refused: never fewer changes than there are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_classify.core.errors import CannotClassifyError, FallbackCause
from ci_classify.core.model import ChangeType
from ci_classify.formats.raw_diff import RawDiff, parse_raw

PATHS = st.text(st.characters(exclude_characters="\0"), min_size=1, max_size=8).map(lambda text: f":{text}"[-9:])


@given(st.lists(st.tuples(st.sampled_from("AMDT"), PATHS), max_size=12), st.data())
def test_blocks_may_be_cut_anywhere(differences: list[tuple[str, str]], data: st.DataObject) -> None:
    output = b"".join(
        f":100644 160000 {'1' * 40} {'2' * 40} {letter}\0{path}\0".encode("utf-8", "surrogatepass")
        for letter, path in differences
    )
    reader = RawDiff()
    while output:
        cut = data.draw(st.integers(1, len(output)))
        reader.read(output[:cut])
        output = output[cut:]
    changes = reader.changes()
    assert [path.encode("utf-8", "surrogateescape") for path in changes.paths] == [
        path.encode("utf-8", "surrogatepass") for _, path in differences
    ]
    letters = {"A": ChangeType.ADDED, "M": ChangeType.MODIFIED, "D": ChangeType.DELETED, "T": ChangeType.TYPE_CHANGED}
    assert [kind.type for kind in changes.kinds] == [letters[letter] for letter, _ in differences]
    assert all(kind.new_is_submodule and not kind.old_is_submodule for kind in changes.kinds)


RECORD = ":100644 100644 " + "1" * 40 + " " + "2" * 40 + " M"


@pytest.mark.parametrize(
    "output",
    [
        pytest.param(f"{RECORD}\0a", id="ends within a path"),
        pytest.param(f"{RECORD}\0", id="ends behind a record"),
        pytest.param(f"{RECORD}\0\0", id="empty path"),
        pytest.param(f"{RECORD}\0a\0\0b\0", id="empty record"),
        pytest.param(f"{RECORD[:-1]}X\0a\0", id="unknown letter"),
        pytest.param(f"{RECORD[:-1]}U\0a\0", id="unmerged"),
        pytest.param(f"{RECORD[:-1]}R100\0a\0b\0", id="renamed"),
        pytest.param(f"{RECORD[:-1]}C075\0a\0b\0", id="copied"),
        pytest.param(f"{RECORD[:-1]}M\n\0a\0", id="more than a letter"),
        pytest.param(f"{RECORD}\0a\0:100644 100644 M\0b\0", id="short record behind a whole one"),
        pytest.param(f"{RECORD}\0a\0{RECORD[1:]}\0b\0", id="no colon"),
        pytest.param(f"{RECORD.replace(':', '::')}\0a\0", id="two parents"),
        pytest.param(f"{RECORD.replace('1' * 40, '1' * 7)}\0a\0", id="short id"),
        pytest.param("warning: something\n", id="a message"),
    ],
)
def test_output_that_is_not_understood_is_never_an_empty_list(output: str) -> None:
    with pytest.raises(CannotClassifyError) as caught:
        parse_raw(output.encode())
    assert caught.value.cause is FallbackCause.DIFF_UNREADABLE


def test_no_output_means_no_difference() -> None:
    assert list(parse_raw(b"").paths) == []
