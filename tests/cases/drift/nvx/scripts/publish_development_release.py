"""Publish a development release from packages."""

from nvx_tools import development_release

development_release.main(None)
