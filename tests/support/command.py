"""The command line, called in this process: as a person calls it, without the start of an interpreter."""

import pytest
from support.runner import Ran

from ci_classify.cli import call
from ci_classify.commands import showing


def run_command(capsys: pytest.CaptureFixture[str], *words: str) -> Ran:
    """Run the command; the environment is that of the test."""
    capsys.readouterr()
    try:
        code = call(words)
    except Exception as error:  # noqa: BLE001 -- as the start of the process does
        code = showing.failure(error)
    said = capsys.readouterr()
    return Ran(code=code, stdout=said.out, stderr=said.err)
