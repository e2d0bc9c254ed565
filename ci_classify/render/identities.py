"""Identities as text, as JSON, and as keys alone. Trees are large, so each entry is one cheap line."""

from collections.abc import Iterable
from json.encoder import encode_basestring_ascii as quoted

from ci_classify.core.identity import Identity
from ci_classify.core.text import visible
from ci_classify.core.tree import Tree
from ci_classify.render.plan_json import without_commands

SCHEMA = 1
TAB = "\t"


def identities_json(identities: Iterable[Identity], tree: Tree) -> str:
    """Return identities with their maps: path to "MODE ID"."""
    parts = []
    for one in identities:
        entries = ",\n".join(f"    {quoted(path)}: {quoted(stored)}" for path, stored in _entries(one, tree))
        entries = f"{{\n{entries}\n   }}" if entries else "{}"
        fields = f'"digest": {quoted(one.digest)}, "key": {quoted(one.key)},\n   "entries": {entries}'
        parts.append(f"  {quoted(one.name)}: {{{fields}}}")
    head = f'"schema": {SCHEMA}, "commit": {quoted(tree.commit)}, "tree": {quoted(tree.id)}'
    joined = ",\n".join(parts)
    return without_commands(f'{{{head},\n "identities": {{\n{joined}\n }}}}\n')


def identities_text(identities: Iterable[Identity], tree: Tree) -> str:
    """Return a heading for each identity, its digest and key, then its entries."""
    lines = []
    for one in identities:
        lines += [f"{one.name}  {len(one.places):,} entries", f"  digest {one.digest}", f"  key    {one.key}"]
        lines += [f"  {stored}  {visible(path)}" for path, stored in _entries(one, tree)]
    return "".join(f"{line}\n" for line in lines)


def _entries(identity: Identity, tree: Tree) -> Iterable[tuple[str, str]]:
    for place in identity.places:
        mode, _, rest = tree.records[place].split(" ", 2)
        yield tree.paths[place], f"{mode} {rest.partition(TAB)[0]}"
