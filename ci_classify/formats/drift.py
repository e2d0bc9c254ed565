"""The section ``drift`` of a rules file: what jobs and suites read beyond what can be derived, and what is no input."""

from ci_classify.core.model import DriftAnswer, Ignore, PathSet
from ci_classify.core.text import visible
from ci_classify.formats.nodes import Listing, Node
from ci_classify.formats.nodes import Mapping as MappingNode
from ci_classify.formats.path_sets import SetReader
from ci_classify.formats.reader import Reader

_ANSWER = ("also-reads", "ignore")
_IGNORE = ("path", "because")


def read_drift(reader: Reader, sets: SetReader, node: Node) -> tuple[DriftAnswer, ...]:
    """Return the answers by job or suite; mistakes go to the reader. Whether a name exists, a workflow decides."""
    answers = []
    for name, key, value in reader.entries(node, "drift", "JOB: {also-reads: [PATTERN]}"):
        before = reader.errors
        fields = reader.fields(value, f"drift of {visible(name)}", _ANSWER)
        if not fields and isinstance(value, MappingNode) and reader.errors == before:
            reader.wrong(
                key, f"drift says nothing of {visible(name)}", "write `also-reads:` or `ignore:`, or delete it"
            )
        also = fields.get("also-reads")
        ignored = reader.items(fields["ignore"], f"ignore of {visible(name)}") if "ignore" in fields else []
        answers.append(
            DriftAnswer(
                name=name,
                also_reads=sets.read(also, f"also-reads of {visible(name)}") if also is not None else PathSet(),
                ignores=tuple(_ignore(reader, sets, name, item) for item in ignored),
                line=key.place.line,
            )
        )
    return tuple(answers)


def _ignore(reader: Reader, sets: SetReader, name: str, node: Node) -> Ignore:
    what = f"an ignore of {visible(name)}"
    before = reader.errors
    fields = reader.fields(node, what, _IGNORE)
    if isinstance(node, MappingNode) and reader.errors == before:
        for key, help_ in (("path", "write `path: PATTERN`"), ("because", "write the reason: `because: TEXT`")):
            if key not in fields:
                reader.wrong(node, f"there is no {key} in {what}", help_)
    because = reader.text(fields["because"], f"the reason of {what}") if "because" in fields else None
    if because is not None and not because.strip():
        reader.wrong(fields["because"], f"the reason of {what} is empty", "say why the path is no input")
    paths = PathSet()
    if "path" in fields and reader.text(fields["path"], f"the path of {what}") is not None:
        listing = Listing(fields["path"].place)
        listing.items.append(fields["path"])
        paths = sets.read(listing, f"the path of {what}")
        if not paths.terms[0].positive:
            reader.wrong(fields["path"], f"the path of {what} takes away", "write what is to be ignored, without !")
    return Ignore(paths=paths, because=because or "", position=(node.place.line, node.place.column))
