"""The JSON files of baselines: identity, manifest, metadata of a phase, runtime.

What is read may be damaged or hostile: it is a JSON object of bounded depth without repeated keys, or nothing.
"""

import json
from collections.abc import Mapping

from ci_classify.core.baseline import Baseline, BaselineError, ErrorCode
from ci_classify.core.baseline_bucket import check_platform, prefix
from ci_classify.core.baseline_identity import BaselineIdentity, Json

MAX_DEPTH = 32


def read_object(content: bytes) -> Json | None:
    """Return the JSON object that a file holds, or None if it holds anything else."""
    try:
        value = json.loads(content.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and not _is_deep(value) else None


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _no_number(text: str) -> object:
    raise ValueError(f"{text} is no JSON")


def _is_deep(value: object) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            if isinstance(outer, (dict, list))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return True


def text(value: Mapping[str, object]) -> bytes:
    """Return a value as a file: sorted, in ASCII, with a line end."""
    return (json.dumps(value, indent=1, sort_keys=True) + "\n").encode("ascii")


def read_identity(content: bytes, file: str) -> BaselineIdentity:
    """Return the identity that ``baseline identity`` wrote, or raise BaselineError."""
    found = read_object(content)
    if found is None:
        raise _no_identity(file, "it is no JSON object")
    contract, reported, diagnostics = (found.get(name) for name in ("contract", "reported", "diagnostics"))
    texts = {name: found.get(name) for name in ("baseline", "prefix", "tree")}
    schema = found.get("schema")
    if not isinstance(contract, dict) or not isinstance(schema, int) or isinstance(schema, bool):
        raise _no_identity(file, "it has no contract or no schema")
    if not all(isinstance(value, str) for value in texts.values()):
        raise _no_identity(file, "baseline, prefix and tree must be text")
    identity = BaselineIdentity(
        schema=schema,
        contract=contract,
        reported=_maps(reported, file),
        diagnostics=_texts(diagnostics, file),
        **{name: str(value) for name, value in texts.items()},
    )
    if found.get("digest") != identity.digest or found.get("exact_prefix") != identity.exact_prefix:
        raise _no_identity(file, "its digest is not that of its contract")
    return identity


def read_identity_of(baseline: Baseline, content: bytes, file: str) -> BaselineIdentity:
    """Return the identity of a baseline with the present policy, or raise BaselineError."""
    identity = read_identity(content, file)
    contract = identity.contract
    platform, bucket = contract.get("platform"), contract.get("bucket")
    if identity.baseline != baseline.name:
        raise _no_identity(file, f"it is one of {identity.baseline!a}, not of {baseline.name}")
    if not isinstance(platform, str) or not isinstance(bucket, str):
        raise _no_identity(file, "it names no platform or no bucket")
    check_platform(baseline, platform)
    tool = {"name": baseline.tool.name, "version": baseline.tool.version}
    if {identity.schema, contract.get("schema")} != {baseline.schema} or contract.get("tool") != tool:
        raise _no_identity(file, "it was made for another schema or tool")
    if identity.prefix != prefix(baseline, bucket, platform):
        raise _no_identity(file, "its prefix is not that of its bucket and platform")
    return identity


def _maps(value: object, file: str) -> dict[str, dict[str, str]]:
    if not isinstance(value, dict):
        raise _no_identity(file, "reported must be an object")
    return {name: _texts(paths, file) for name, paths in value.items()}


def _texts(value: object, file: str) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(inner, str) for inner in value.values()):
        raise _no_identity(file, "its maps must hold text")
    return value


def _no_identity(file: str, why: str) -> BaselineError:
    return BaselineError(ErrorCode.INVALID_INPUT, f"{file} is no identity: {why}")
