"""`python -m onlineboost` is the command line."""

import sys

from onlineboost.cli import program

sys.exit(program())
