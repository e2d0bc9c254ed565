"""``python -m ci_classify``."""

from ci_classify.cli import main

main()
