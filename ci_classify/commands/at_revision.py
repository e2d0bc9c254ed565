"""Rules and tree of one commit, for what is computed from trees alone."""

from ci_classify.commands.classifying import open_rules
from ci_classify.commands.exits import UsageError
from ci_classify.core.errors import CannotClassifyError, FallbackCause
from ci_classify.core.record import Record
from ci_classify.core.tree import LINK, Tree
from ci_classify.edges import rules_files
from ci_classify.edges.git import Repository
from ci_classify.formats.rules_file import LoadedRules, load_rules


class AtRevision(Record):
    """A repository, the tree of a revision of it, and the rules that hold there."""

    repository: Repository
    tree: Tree
    loaded: LoadedRules


def at_revision(repo: str, rules_given: str | None, revision: str | None) -> AtRevision:
    """Return the tree of a revision (default HEAD) and its rules.

    A revision that is named has rules of its own: those of its tree, if it has any. Else, and with rules that were
    given, they are the file in the checkout, as for every other command.
    """
    repository = Repository(repo)
    tree = repository.tree(revision or "HEAD")
    found = rules_files.locate(repository.top, rules_given)
    name = next((name for name in rules_files.DEFAULT_NAMES if name in tree.paths), None)
    if revision is None or rules_given is not None or name is None:
        loaded = open_rules(repository.top, rules_given)
    else:
        content = _stored(repository, tree, name, revision)
        loaded = load_rules(content, f"{revision}:{name}", control_paths=found.paths_in_tree)
    return AtRevision(repository=repository, tree=tree, loaded=loaded)


def _stored(repository: Repository, tree: Tree, name: str, revision: str) -> bytes:
    if tree.entry(list(tree.paths).index(name)).mode == LINK:
        raise UsageError(f"{name} is a symbolic link at {revision}", "give --rules FILE")
    content = repository.file(tree.commit, name)
    if content is None:
        raise CannotClassifyError(FallbackCause.OBJECTS_MISSING, f"the clone lacks the content of {name} at {revision}")
    return content
