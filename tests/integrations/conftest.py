"""The modules of docs/integrations, as a program beside them imports them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "integrations"))
