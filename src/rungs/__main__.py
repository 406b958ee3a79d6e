"""`python -m rungs`."""

import os
import sys

from rungs.cli import main

try:
    status = main()
    sys.stdout.flush()
except BrokenPipeError:
    # What reads the output, such as `head`, has seen enough. Python would flush it once more.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    status = 0
sys.exit(status)
