"""`python -m accel` is the command `accel`."""

import sys

from accel.cli import main

sys.exit(main())
