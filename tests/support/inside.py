"""Run the command line in this process, for tables of many calls: the same words, exit code and streams."""

import io
from contextlib import redirect_stderr, redirect_stdout

from support.runner import Ran

from ci_classify.cli import call
from ci_classify.commands import showing


def run_inside(*words: str) -> Ran:
    """Run ``ci-classify`` with words."""
    stdout, stderr = io.StringIO(), io.StringIO()
    with redirect_stdout(stdout), redirect_stderr(stderr):
        try:
            code = call(words)
        except Exception as error:  # noqa: BLE001 -- as the start of the process does
            code = showing.failure(error)
    return Ran(code=code, stdout=stdout.getvalue(), stderr=stderr.getvalue())
