"""Exit codes, and the error of a command that was called wrongly."""

OK = 0
FINDINGS = 1
USAGE = 2
BUG = 3


class UsageError(Exception):
    """The command can't do what it was asked. Says what is wrong and what to do instead."""

    def __init__(self, message: str, help_: str) -> None:
        super().__init__(f"{message}; {help_}")
