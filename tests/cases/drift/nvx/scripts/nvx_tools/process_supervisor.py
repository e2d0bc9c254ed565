"""Keeps one process alive; started as a program of its own."""

from nvx_tools import adversarial_oracles

if __name__ == "__main__":
    print(adversarial_oracles.judge())
