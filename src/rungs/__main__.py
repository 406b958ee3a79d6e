"""`python -m rungs`."""

import os
import sys
import traceback

try:
    from rungs.cli import main

    # A letter that the terminal's encoding lacks is shown as its number.
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]

    status = main()
    sys.stdout.flush()
except KeyboardInterrupt:  # while torch is imported; a stage that has begun says so itself
    print("error: interrupted; run again", file=sys.stderr)
    status = 2
except BrokenPipeError:
    # What reads the output, such as `head`, has seen enough. Python would flush it once more.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    status = 0
except Exception:  # before a stage has begun, such as an import that fails; 1 would be a finding
    traceback.print_exc()
    print("error: rungs cannot start, its traceback is above", file=sys.stderr)
    status = 2
sys.exit(status)
