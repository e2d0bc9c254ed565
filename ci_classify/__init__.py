"""Decide which CI suites a change must run, and say why."""

__version__ = "0.1.0"
