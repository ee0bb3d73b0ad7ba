"""Regular expressions for the cells of tables that tools print, for accel.text.grid."""

from typing import Final

NONE: Final = r"N/?A|ERR!|-+|\?|unknown"
PERCENT: Final = rf"(?:\d+(?:\.\d+)?\s?%|{NONE})"
WATTS: Final = rf"(?:\d+(?:\.\d+)?\s?W|{NONE})"
CELSIUS: Final = rf"(?:\d+(?:\.\d+)?\s?(?:°?C|℃)?|{NONE})"
BUS: Final = rf"(?P<bus>(?:[0-9a-f]{{2,8}}:)?[0-9a-f]{{2}}:[0-9a-f]{{2}}\.[0-7]|{NONE})"
POWER: Final = rf"(?P<power>{WATTS})(?:\s*/\s*(?P<limit>{WATTS}))?"
