"""``python -m pytest_embedbench.cli``."""

import sys

from pytest_embedbench.cli import main

sys.exit(main())
