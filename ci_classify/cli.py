"""The command line: options become a frozen request, a command runs it, its result is the exit code.

Commands are imported when they are called: a run in CI loads nothing that only a laptop needs.
"""

from collections.abc import Sequence
from importlib import import_module

import click

from ci_classify import __version__
from ci_classify.commands.exits import USAGE
from ci_classify.core.annotations import Any

_repo = click.option("--repo", default=".", show_default=True, metavar="DIR", help="The repository.")
_rules = click.option(
    "--rules", metavar="FILE", help="The rules file.  [default: .github/ci-classify.yaml, then rules.yaml]"
)
_branch = click.option("--branch", metavar="NAME", help="The branch that event modes look at.")
_label = click.option("--label", "labels", multiple=True, metavar="NAME", help="A label of the pull request.")
_format = click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)

_findings_format = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "annotations", "sarif"]),
    default="text",
    show_default=True,
    help="How findings are printed.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="%(version)s")
def cli() -> None:
    """Decide which CI suites a change must run, and say why."""


@cli.command()
@_repo
@_rules
@click.option("--event", metavar="NAME", help="The event.  [default: GitHub's, else pull_request]")
@click.option("--base", metavar="REV", help="Compare from this commit instead of the event's.")
@click.option("--head", metavar="REV", help="Compare to this commit.  [default: HEAD, with --base]")
@_branch
@_label
@click.option("--paths-from", metavar="FILE", help="Classify a list of paths, without git; - is standard input.")
@click.option("--fetch", is_flag=True, help="Fetch a commit that a shallow clone lacks, by its id.")
@click.option("--canary", is_flag=True, help="Run everything, and record what would have been skipped.")
@_format
def run(form: str, **options: Any) -> int:
    """Classify in CI: write GITHUB_OUTPUT and the job summary."""
    return _call("run", "RunRequest", form, options)


@cli.command("dry-run")
@click.argument("against", required=False, metavar="[BRANCH]")
@_repo
@_rules
@click.option("--event", default="pull_request", show_default=True, metavar="NAME", help="The event.")
@_branch
@_label
@click.option("--worktree", is_flag=True, help="Compare with the working tree instead of HEAD.")
@_format
def dry_run(form: str, **options: Any) -> int:
    """Show what CI would do with the local branch, compared with BRANCH."""
    return _call("dry_run", "DryRunRequest", form, options)


@cli.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--output", metavar="NAME", help="Explain what an output's inputs are.")
@_repo
@_rules
@click.option("--event", default="pull_request", show_default=True, metavar="NAME", help="The event.")
@_branch
def explain(**options: Any) -> int:
    """Tell which outputs a path selects and by which line of the rules."""
    return _call("explain", "ExplainRequest", None, options)


@cli.command()
@_repo
@_rules
@click.option("--examples", metavar="FILE", help="Examples in a file of their own.")
@_format
def test(form: str, **options: Any) -> int:
    """Run the examples of the rules."""
    return _call("test", "TestRequest", form, options)


@cli.command()
@click.argument("range_", required=False, metavar="[RANGE]")
@_repo
@_rules
@click.option("--pairs", metavar="FILE", help="Replay pull requests instead: a base and a head commit on each line.")
@click.option("--against", multiple=True, metavar="FILE|REV", help="Other rules: a file, or those of a commit.")
@click.option("--event", default="pull_request", show_default=True, metavar="NAME", help="The event.")
@_branch
@click.option("--durations", metavar="FILE", help="Minutes per job as JSON: a number, or a list of samples.")
@click.option("--results", metavar="FILE", help="Results of jobs by commit as JSON, or job lists of GitHub's API.")
@click.option("--svg", metavar="FILE", help="Draw runs per output over time, too.")
@click.option("--format", "form", type=click.Choice(["text", "markdown", "json"]), default="text", show_default=True)
def replay(range_: str | None, **options: Any) -> int:
    """Classify each first-parent change of RANGE again, by these rules and by others."""
    return _call("replay", "ReplayRequest", None, {**options, "range": range_})


@cli.command()
@_repo
@_rules
@click.option("--rev", metavar="REV", help="The commit whose files are tracked.  [default: HEAD]")
@click.option("--paths-from", metavar="FILE", help="A list of tracked paths instead, without git; - is standard input.")
@click.option("--examples", metavar="FILE", help="Examples in a file of their own.")
@click.option("--range", metavar="RANGE", help="Let the first-parent changes of a range notice mutants, too.")
@click.option("--event", default="pull_request", show_default=True, metavar="NAME", help="The event of the range.")
@_format
def mutate(form: str, **options: Any) -> int:
    """Change the rules line by line, and tell which changes no example notices."""
    return _call("mutate", "MutateRequest", form, options)


@cli.command("check-required-ci")
@_repo
@_rules
@click.option(
    "--needs-json", metavar="FILE", help="toJSON(needs); - is standard input.  [default: variable NEEDS_JSON]"
)
@click.option("--output", "outputs", multiple=True, metavar="NAME=true|false", help="An output of the detector.")
@click.option("--result", "results", multiple=True, metavar="JOB=RESULT", help="The result of a job.")
@click.option("--event-name", metavar="NAME", help="The event.  [default: GitHub's]")
@click.option(
    "--same-repository", type=click.Choice(["true", "false"]), help="Whether it is no pull request of a fork."
)
@click.option("--recompute", is_flag=True, help="Classify again, and fail where the detector's outputs differ.")
@click.option("--canary", is_flag=True, help="Tell which failed jobs the rules would have skipped.")
@click.option("--canary-record", metavar="FILE", help="Write what would have been skipped, and how it ended.")
@_format
def check_required_ci(form: str, same_repository: str | None, **options: Any) -> int:
    """Judge the results of jobs against the plan; 1 if any did not do what was planned."""
    options["same_repository"] = None if same_repository is None else same_repository == "true"
    return _call("check_required_ci", "CheckRequest", form, options)


@cli.command()
@_repo
@_rules
@click.option("--rev", metavar="REV", help="Check the tree and the workflows of this revision.  [default: HEAD]")
@click.option("--worktree", is_flag=True, help="Check those of the working tree instead.")
@click.option("--workflow", "workflows", multiple=True, metavar="FILE", help="A workflow file.  [default: all]")
@_findings_format
def check(**options: Any) -> int:
    """Look for mistakes in the rules and in the workflows that they steer."""
    return _call("check", "CheckRequest", None, options)


@cli.command()
@click.argument("outputs", nargs=-1, metavar="[OUTPUT]...")
@_repo
@_rules
@click.option("--rev", metavar="REV", help="The commit, with its own rules.  [default: HEAD, the checkout's rules]")
@click.option("--format", "form", type=click.Choice(["text", "json", "key"]), default="text", show_default=True)
def identity(**options: Any) -> int:
    """Print what the inputs of outputs are at a commit: entries, digest, cache key."""
    return _call("identity", "IdentityRequest", None, options)


@cli.group()
def canary() -> None:
    """Try rules without trusting them: everything runs, and what they would skip is recorded."""


@canary.command("report")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@_format
def canary_report(form: str, **options: Any) -> int:
    """Add records up: how often a skip would have hidden a failure."""
    return _call("canary_report", "CanaryReportRequest", form, options)


@cli.command()
@_repo
@_rules
@click.option("--rev", metavar="REV", help="Look at the tree and the workflows of this revision.  [default: HEAD]")
@click.option(
    "--workflow",
    "workflows",
    multiple=True,
    metavar="FILE",
    help="A workflow file.  [default: those that the rules steer]",
)
@click.option("--unused", is_flag=True, help="Also tell what suites claim and nothing reads.")
@_findings_format
def drift(**options: Any) -> int:
    """Compare the inputs of suites with what their jobs really read."""
    return _call("drift", "DriftRequest", None, options)


@cli.command()
@_repo
@click.option("--rev", metavar="REV", help="Look at the tree and the workflows of this revision.  [default: HEAD]")
@click.option(
    "--workflow", "workflows", multiple=True, metavar="FILE", help="A workflow file.  [default: those for changes]"
)
@click.option("--stdout", is_flag=True, help="Print the draft instead of writing it.")
def init(**options: Any) -> int:
    """Draft a rules file from what the jobs of the workflows read."""
    return _call("init", "InitRequest", None, options)


@cli.command()
def schema() -> int:
    """Print the JSON Schema of the rules file."""
    return int(import_module("ci_classify.commands.schema").run())


@cli.command()
def demo() -> int:
    """Show a complete run in a throw-away repository."""
    return int(import_module("ci_classify.commands.demo").show())


@cli.group()
def baseline() -> None:
    """Record baselines, and decide whether one may stand in for a full run."""


_name = click.argument("name", metavar="NAME")
_dir = click.option("--dir", "directory", required=True, metavar="DIR", help="The directory of the recording.")
_identity = click.option("--identity", required=True, metavar="FILE", help="What `baseline identity` wrote.")


@baseline.command("identity")
@_name
@click.option("--bucket", required=True, metavar="PATH", help="The bucket, below the root of the policy.")
@click.option("--kind", type=click.Choice(["directory", "glob", "file"]), help="What it is.  [default: as in the tree]")
@click.option("--platform", required=True, metavar="NAME", help="A platform of the policy.")
@_repo
@_rules
@click.option("--rev", metavar="REV", help="The commit, with its own rules.  [default: HEAD, the checkout's rules]")
@click.option("--diagnostic", "diagnostics", multiple=True, metavar="KEY=VALUE", help="Something to note.")
@click.option("--output", metavar="FILE", help="Write the identity into a file, too.")
def baseline_identity(**options: Any) -> int:
    """Print what a bucket depends on, and the keys of its recordings."""
    return _call("baseline_identity", "BaselineIdentityRequest", None, options)


@baseline.command("compare")
@click.argument("old")
@click.argument("new")
def baseline_compare(**options: Any) -> int:
    """Print how two identities differ, and why."""
    return _call("baseline_compare", "BaselineCompareRequest", None, options)


@baseline.command("record")
@_name
@_dir
@click.option("--phase", required=True, metavar="PHASE", help="The phase that succeeded.")
@click.option("--runtime", required=True, metavar="FILE", help="JSON about where it ran, with `tool`.")
@_repo
@_rules
def baseline_record(**options: Any) -> int:
    """Make what a phase left a part of a recording."""
    return _call("baseline_record", "BaselineRecordRequest", None, options)


@baseline.command("finalize")
@_name
@_dir
@_identity
@click.option("--source-ref", required=True, metavar="REF", help="The full ref that was recorded.")
@click.option("--source-sha", required=True, metavar="SHA", help="The commit that was recorded.")
@click.option("--generation", required=True, metavar="RUN-ATTEMPT", help="The run and its attempt.")
@_repo
@_rules
def baseline_finalize(**options: Any) -> int:
    """Write the manifest of a recording whose phases are all valid."""
    return _call("baseline_finalize", "BaselineFinalizeRequest", None, options)


@baseline.command("validate")
@_name
@_dir
@_identity
@click.option("--matched-key", default="", metavar="KEY", help="The key that was restored; empty if none was.")
@click.option("--runtime", metavar="FILE", help="Refuse what another runtime recorded.")
@_repo
@_rules
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="json", show_default=True)
def baseline_validate(form: str, **options: Any) -> int:
    """Tell whether a restored recording is valid; 1 if not, which means a full run."""
    return _call("baseline_validate", "BaselineValidateRequest", form, options)


@baseline.command("mode")
@_name
@click.option("--event", required=True, metavar="NAME", help="The event of the workflow.")
@click.option("--ref", required=True, metavar="REF", help="Its full ref.")
@click.option("--repository", required=True, metavar="OWNER/NAME", help="Its repository.")
@click.option("--bucket", metavar="PATH", help="The bucket.")
@_label
@click.option("--labels-unknown", is_flag=True, help="The labels could not be looked up.")
@click.option("--default", metavar="TEXT", help="What is asked for without labels.")
@click.option("--force-full", is_flag=True, help="Run in full.")
@click.option("--wanted", type=click.Choice(["auto", "full", "baseline"]), default="auto", show_default=True)
@click.option("--validation", default="", metavar="CODE", help="The reason of `baseline validate`, or why it failed.")
@click.option(
    "--changed-list",
    metavar="STATE",
    help="State of the list of changed files, if one is used: complete, empty, incomplete, wrong-commit or too-many.",
)
@_repo
@_rules
def baseline_mode(**options: Any) -> int:
    """Decide whether to run in full, selectively, or to record."""
    return _call("baseline_mode", "BaselineModeRequest", None, options)


@baseline.command("matrix")
@_name
@_repo
@_rules
def baseline_matrix(**options: Any) -> int:
    """Print the buckets and platforms of a policy for a workflow's matrix."""
    return _call("baseline_matrix", "BaselineMatrixRequest", None, options)


def _call(module: str, request: str, form: str | None, options: dict[str, Any]) -> int:
    if form is not None:
        options["as_json"] = form == "json"
    command = import_module(f"ci_classify.commands.{module}")
    return int(command.run(getattr(command, request)(**options)))


def call(words: Sequence[str]) -> int:
    """Read words of the command line, run what they ask for, and return its exit code."""
    try:
        return int(cli.main(list(words), prog_name="ci-classify", standalone_mode=False))
    except click.ClickException as error:
        error.show()
    except click.Abort:  # click's name for an interrupt
        raise KeyboardInterrupt from None
    return USAGE
