"""``ci-classify identity``: what the inputs of outputs are at a commit, as a map, a digest and a cache key."""

from typing import Literal

from ci_classify.commands import showing
from ci_classify.commands.at_revision import at_revision
from ci_classify.commands.exits import OK, UsageError
from ci_classify.core.errors import CannotClassifyError
from ci_classify.core.explanation import remedy
from ci_classify.core.identity import identify
from ci_classify.core.model import Producer, Rules, Suite
from ci_classify.core.record import Record
from ci_classify.edges import console
from ci_classify.render.identities import identities_json, identities_text


class IdentityRequest(Record):
    """The options of the command, as given."""

    repo: str
    outputs: tuple[str, ...] = ()
    rules: str | None = None
    rev: str | None = None
    form: Literal["text", "json", "key"] = "text"


def run(request: IdentityRequest) -> int:
    """Print the identities of outputs, by default of all."""
    try:
        at = at_revision(request.repo, request.rules, request.rev)
    except CannotClassifyError as error:
        raise UsageError(error.detail, remedy(error.cause)) from None
    showing.show_problems(at.loaded.warnings)
    identities = identify(at.loaded.rules, _named(at.loaded.rules, request.outputs), at.tree)
    match request.form:
        case "json":
            console.write(identities_json(identities, at.tree))
        case "text":
            console.write(identities_text(identities, at.tree))
        case "key":
            console.write("".join(f"{identity.key}\n" for identity in identities))
    return OK


def _named(rules: Rules, names: tuple[str, ...]) -> tuple[Suite | Producer, ...]:
    known = {output.name: output for output in rules.decided}
    for name in names:
        if name not in known:
            raise UsageError(f"there is no output {name!r}", f"name one of {', '.join(known)}")
    return tuple(known[name] for name in dict.fromkeys(names)) if names else rules.decided
