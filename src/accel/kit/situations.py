"""The situations in which a plugin is tried on each recorded machine, in addition to the machine as it is."""

from typing import Final

from accel.kit.faulty import Fault

GARBAGE: Final = """<!DOCTYPE html>
<html><head><title>502 Bad Gateway</title></head>
<body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx/1.24.0</center></body></html>
"""
LIBRARY_ABSENT: Final = "with the vendor's library absent"
DENIED: Final = "with permission denied on every file"
LOST: Final = "with the device lost"
ZERO: Final = "with no device left"
TOOL_MISSING: Final = "with its tool missing"
TOOL_HANGS: Final = "with its tool hanging"
TOOL_FAILS: Final = "with its tool failing"
CUT: Final = "with all output cut at {share:.0%}"
CUTS: Final = tuple(CUT.format(share=share) for share in (0.03, 0.3, 0.55, 0.8, 0.97))
FOREIGN: Final = "with its tool printing something else"

SITUATIONS: Final[dict[str, Fault]] = {
    LIBRARY_ABSENT: Fault(libraries=False),
    DENIED: Fault(files="denied", commands="fail", said="Permission denied"),
    LOST: Fault(files="lost", commands="fail", said="Unable to determine the device handle: the device is lost"),
    ZERO: Fault(files="gone", commands="silent"),
    TOOL_MISSING: Fault(commands="missing"),
    TOOL_HANGS: Fault(commands="hang"),
    TOOL_FAILS: Fault(commands="fail", said="error: cannot open the driver"),
    **{CUT.format(share=s): Fault(commands="cut", files="cut", share=s) for s in (0.03, 0.3, 0.55, 0.8, 0.97)},
    FOREIGN: Fault(commands="garbage", said=GARBAGE),
}
