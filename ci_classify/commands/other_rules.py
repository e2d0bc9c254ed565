"""Rules that the present ones are held against: a file, or what a revision has."""

from pathlib import Path

from ci_classify.commands.classifying import open_rules
from ci_classify.commands.exits import UsageError
from ci_classify.core.errors import FallbackCause
from ci_classify.core.explanation import remedy
from ci_classify.core.model import Rules
from ci_classify.edges import rules_files
from ci_classify.edges.git import Repository
from ci_classify.formats.rules_file import load_rules


def other_rules(repository: Repository, rules_given: str | None, other: str) -> Rules:
    """Return the rules in a file of that name, or else those of the revision of that name."""
    if Path(other).is_file():
        return open_rules(repository.top, other).rules
    commit = repository.commit(other)
    if commit is None:
        raise UsageError(f"{other} is neither a file nor a commit", remedy(FallbackCause.REVISION_INVALID))
    found = rules_files.locate(repository.top, rules_given)
    # The file that was named, or the first default that the revision has.
    named = (found.shown,) if rules_given is not None else ()
    for path in dict.fromkeys((*named, *rules_files.DEFAULT_NAMES)):
        content = repository.file(commit.id, path)
        if content is not None:
            return load_rules(content, f"{other}:{path}", control_paths=found.paths_in_tree).rules
    raise UsageError(f"{other} has no rules", "name a file, or a commit that has some")
