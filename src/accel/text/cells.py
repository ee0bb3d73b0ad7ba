"""Regular expressions for the cells of tables that tools print, for accel.text.grid.

Tables of YAML name them in lower case, as in {used_of_total} (accel.text.layouts.drawn).
"""

from typing import Final

NONE: Final = r"N/?A|ERR!|-+|\?|unknown"
PERCENT: Final = rf"(?:\d+(?:\.\d+)?\s?%|{NONE})"
WATTS: Final = rf"(?:\d+(?:\.\d+)?\s?W|{NONE})"
CELSIUS: Final = rf"(?:\d+(?:\.\d+)?\s?(?:°?C|℃)?|{NONE})"
MEGAHERTZ: Final = rf"(?:\d+\s?MHz|{NONE})"
BUS: Final = rf"(?P<bus>(?:[0-9a-f]{{2,8}}:)?[0-9a-f]{{2}}:[0-9a-f]{{2}}\.[0-7]|{NONE})"
USED_OF_TOTAL: Final = rf"(?P<used>\d+(?:\s?Mi?B)?|{NONE})\s*/\s*(?P<total>\d+(?:\s?Mi?B)?|{NONE})(?:\s*Mi?B)?"
POWER: Final = rf"(?P<power>{WATTS})(?:\s*/\s*(?P<limit>{WATTS}))?"
