"""Whether one pattern matches all that another one does, for every path that could exist.

Sound, not complete: a yes is proved, a no is only the absence of this proof.
"""

import re

from ci_classify.core.patterns import ANY_DEPTH, Program, Segment, Shape


def covers(wide: Program, narrow: Program) -> bool:
    """Return whether every path that the narrow program matches is matched by the wide one."""
    known: dict[tuple[int, int], bool] = {}
    # From the ends to the starts, so that what is asked for is known.
    for at_wide in range(len(wide.segments), -1, -1):
        for at_narrow in range(len(narrow.segments), -1, -1):
            known[at_wide, at_narrow] = _rest_covers(wide, narrow, at_wide, at_narrow, known)
    return known[0, 0]


def _rest_covers(
    wide: Program, narrow: Program, at_wide: int, at_narrow: int, known: dict[tuple[int, int], bool]
) -> bool:
    """Return whether the rest of a wide program takes what the rest of a narrow one takes."""
    ended = at_narrow == len(narrow.segments)
    if at_wide == len(wide.segments):
        # The wide one has taken a parent directory, or the same path.
        return not ended or wide.directory_only <= narrow.directory_only
    expected = wide.segments[at_wide]
    if expected is ANY_DEPTH and known[at_wide + 1, at_narrow]:
        return True
    if ended:
        return False
    given = narrow.segments[at_narrow]
    if not isinstance(expected, Segment):
        return known[at_wide, at_narrow + 1]
    return isinstance(given, Segment) and _segment_covers(expected, given) and known[at_wide + 1, at_narrow + 1]


def _segment_covers(wide: Segment, narrow: Segment) -> bool:
    if wide == narrow or wide.shape is Shape.ANYTHING:
        return True
    match wide.shape:
        case Shape.SUFFIX:
            return narrow.shape in {Shape.LITERAL, Shape.SUFFIX} and narrow.text.endswith(wide.text)
        case Shape.PREFIX:
            return narrow.shape in {Shape.LITERAL, Shape.PREFIX} and narrow.text.startswith(wide.text)
        case Shape.REGEX:
            return narrow.shape is Shape.LITERAL and re.fullmatch(wide.text, narrow.text) is not None
        case _:
            return False
