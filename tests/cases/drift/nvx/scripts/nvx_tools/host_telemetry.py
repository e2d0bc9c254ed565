"""Telemetry of hosts, by hand."""
