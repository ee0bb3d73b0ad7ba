"""`python -m accel`, the same as the command `accel`."""

from accel.cli import entry

entry()
