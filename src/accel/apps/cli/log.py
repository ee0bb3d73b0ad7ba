"""Logs what a command reads and runs to stderr: -v files and commands with their milliseconds, -vv folder listings too.

ACCEL_LOG=info or debug does the same, also in a program that uses accel as a library (see accel.machine.live).
"""

import logging
import sys

from accel.model.errors import BadInput

_LEVELS = {"info": logging.INFO, "debug": logging.DEBUG, "1": logging.INFO, "2": logging.DEBUG}


def start(verbose: int, named: str) -> None:
    """Log to stderr. Raises BadInput for an unknown level."""
    level = _LEVELS.get(named.lower()) if named else None
    if named and level is None:
        raise BadInput(f"ACCEL_LOG={named}: expected info or debug.")
    chosen = min(level or logging.WARNING, {0: logging.WARNING, 1: logging.INFO}.get(verbose, logging.DEBUG))
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("accel %(relativeCreated)6.0f ms  %(message)s"))
    logger = logging.getLogger("accel")
    logger.addHandler(handler)
    logger.setLevel(chosen)
