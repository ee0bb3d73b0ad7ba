"""`python -m accel`, the same as the command `accel`."""

from accel.apps.cli import entry

entry()
