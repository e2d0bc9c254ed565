"""Foreign text made visible: any path or name as one line that can do nothing."""

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}
_QUOTE = "'"
LONGEST = 160  # characters of a path that are shown


def visible(text: str, *, longest: int = LONGEST, double_backslashes: bool = True) -> str:
    r"""Return text in printable characters on one line, long text cut in the middle.

    Bytes that are no UTF-8 show as ``\xe9``, other invisible characters as ``\u202e``. A workflow command in
    it is broken up, since a runner reads them anywhere in a line. Backslashes of the text itself are doubled, so
    that no two texts look the same, unless a reader is to see it as it was written.
    """
    safe = text.isprintable() and not (double_backslashes and "\\" in text)
    shown = text if safe else "".join(c if c == "\\" and not double_backslashes else _visible(c) for c in text)
    shown = shown.replace("::", ":\\x3a").replace("##[", "##\\x5b")
    if len(shown) > longest:
        half = (longest - 1) // 2
        shown = f"{shown[:half]}…{shown[-half:]}"
    return shown


def quoted(text: str) -> str:
    """Return foreign text in single quotes, as YAML would read it, without escapes; long text cut in the middle."""
    return f"'{visible(text.replace(_QUOTE, 2 * _QUOTE), longest=80, double_backslashes=False)}'"


def _visible(character: str) -> str:
    if character in _SHORT:
        return _SHORT[character]
    if character.isprintable():
        return character
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
