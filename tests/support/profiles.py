"""How hard hypothesis tries: a little on every run, a lot in the nightly one (``--hypothesis-profile=nightly``)."""

from hypothesis import HealthCheck, settings

SLOW_CHECKS = (
    HealthCheck.too_slow,
    HealthCheck.data_too_large,
    HealthCheck.filter_too_much,  # rules that the loader refuses
    HealthCheck.function_scoped_fixture,
)


def load() -> None:
    """Make the profiles known, and take the ordinary one unless the command line names another."""
    settings.register_profile("ordinary", max_examples=60, deadline=None, suppress_health_check=SLOW_CHECKS)
    settings.register_profile("nightly", max_examples=2500, deadline=None, suppress_health_check=SLOW_CHECKS)
    settings.load_profile("ordinary")
