"""`python -m rungs`."""

import sys

from rungs.cli import main

sys.exit(main())
