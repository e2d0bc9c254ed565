"""Adversarial testing, which has a workflow of its own."""

from . import adversarial_executor, adversarial_oracles


def main(args: object) -> int:
    return adversarial_executor.execute(args) and adversarial_oracles.judge()
