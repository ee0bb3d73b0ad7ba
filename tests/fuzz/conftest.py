"""Lets the fuzz tests import the kit beside them, which also runs as a command: campaign.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
