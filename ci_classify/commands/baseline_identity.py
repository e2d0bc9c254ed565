"""``ci-classify baseline identity``: what a bucket depends on at a commit, and under which keys it is kept."""

import re
from collections.abc import Iterable
from pathlib import Path

from ci_classify.commands import showing
from ci_classify.commands.at_revision import at_revision
from ci_classify.commands.baselines import answer, named, show, write_outputs
from ci_classify.commands.exits import OK
from ci_classify.core.baseline import BaselineError, ErrorCode
from ci_classify.core.baseline_bucket import BucketKind, bucket_of, check_bucket, check_platform
from ci_classify.core.baseline_identity import BaselineIdentity, identity, to_extract
from ci_classify.core.baseline_inputs import inputs_of, kind_in
from ci_classify.core.record import Record
from ci_classify.core.tree import SUBMODULE, TreeEntry
from ci_classify.edges import files
from ci_classify.edges.git import Repository
from ci_classify.formats.manifest_file import text

_KEY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


class BaselineIdentityRequest(Record):
    """The options of the command, as given."""

    name: str
    bucket: str
    platform: str
    kind: str | None = None
    repo: str = "."
    rules: str | None = None
    rev: str | None = None
    diagnostics: tuple[str, ...] = ()
    output: str | None = None


def run(request: BaselineIdentityRequest) -> int:
    """Print the identity, and write its keys as outputs in CI."""
    return answer(lambda: _run(request))


def _run(request: BaselineIdentityRequest) -> int:
    found = _identity(request)
    if request.output is not None:
        files.write_whole(Path(request.output), text(found.as_json))
    write_outputs({"prefix": found.prefix, "exact_prefix": found.exact_prefix, "digest": found.digest})
    show(found.as_json)
    return OK


def _identity(request: BaselineIdentityRequest) -> BaselineIdentity:
    at = at_revision(request.repo, request.rules, request.rev)
    showing.show_problems(at.loaded.warnings)
    baseline = named(at.loaded.rules, request.name)
    check_platform(baseline, request.platform)
    check_bucket(baseline, request.bucket)
    kind = BucketKind(request.kind) if request.kind else kind_in(at.tree, request.bucket)
    bucket = bucket_of(baseline, request.bucket, kind)
    inputs = inputs_of(baseline, bucket, request.platform, at.tree)
    contents = _contents(at.repository, to_extract(inputs))
    return identity(baseline, bucket, request.platform, at.tree, inputs, contents, _diagnostics(request.diagnostics))


def _contents(repository: Repository, entries: Iterable[TreeEntry]) -> dict[str, bytes]:
    found = {}
    for entry in entries:
        content = repository.blob(entry.oid) if entry.mode != SUBMODULE else b""
        if content is None:
            raise BaselineError(ErrorCode.INVALID_INPUT, f"the clone lacks the content of {entry.path!a}")
        found[entry.oid] = content
    return found


def _diagnostics(given: Iterable[str]) -> dict[str, str]:
    found = {}
    for pair in given:
        key, sign, value = pair.partition("=")
        if not sign or not _KEY.fullmatch(key) or key in found:
            raise BaselineError(ErrorCode.INVALID_INPUT, f"the diagnostic {pair!a} is no KEY=VALUE, or stands twice")
        found[key] = value or "unknown"
    return found
