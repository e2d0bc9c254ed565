"""Text that has broken tools: for tables, and for properties."""

from hypothesis import strategies as st

HOSTILE = (
    "a|b.py",
    "`x`.py",
    "``",
    "</table><h1>PASS</h1>.py",
    "[l](http://e).py",
    "![i](http://e/i.png)",
    "@team.py",
    "me@example.org",
    "www.example.org",
    "https://example.org/x",
    "a\n| unit | false |",
    "a\r\n\r\n## Heading\n",
    "x\nEOF\nunit=false\ny",
    "::error::x",
    "a\n::add-mask::secret",
    "##[add-path]/tmp",
    "%0A::error::x",
    "-rf",
    "--output=x",
    "$(touch pwned).txt",
    "a;b&&c|d",
    "it's.py",
    'q"x.py',
    "bs\\x.py",
    "lat\udce9.py",
    "emoji\U0001f600.py",
    "bidi\u202eyp.exe",
    "tab\tnul-like\x01\x1b[31mred\x1b[0m\x7f",
    "line\u2028separator\u0085\ufeff",
    " leading and trailing ",
    "*emphasis* _too_ ~~this~~ **that**",
    "<!-- -->",
    "&lt;&amp;&#64;",
    "x" * 4_000,
)

_bytes = st.binary(min_size=1, max_size=60).map(lambda raw: raw.replace(b"\0", b"0"))
_signs = st.text(alphabet="`|*_[]()<>!#~$@&\\:=-+. \n\r\tahw/%\u202e\U0001f600", min_size=1, max_size=30)

any_path = st.one_of(_bytes.map(lambda raw: raw.decode("utf-8", "surrogateescape")), _signs, st.sampled_from(HOSTILE))
any_text = st.one_of(st.text(max_size=40), _signs, st.sampled_from([name for name in HOSTILE if len(name) < 200]))
