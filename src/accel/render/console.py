"""The one rich console: plain when piped, as wide as the terminal, no line ever cut inside a command."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def console() -> "Console":
    """Return a console on stdout. Piped, it is 100 columns wide, or as COLUMNS says."""
    import os

    from rich.console import Console

    width = None
    if not sys.stdout.isatty() and not os.environ.get("COLUMNS"):
        width = 100
    return Console(file=sys.stdout, width=width, highlight=False, soft_wrap=False, emoji=False, markup=False)
