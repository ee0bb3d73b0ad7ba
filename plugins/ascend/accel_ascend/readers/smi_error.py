"""npu-smi's error messages. It prints them on stdout and exits with the low byte of the code.

    DrvMngGetConsoleLogLevel failed. (g_conLogLevel=3)
    dcmi module initialize failed. ret is -8005
    dcmi model initialized failed, because the device is used. ret is -8020
    npu get board type failed. ret is -9005

Seen   23.0 to 25.5. The facts have the names of specs/ascend/inference, whose tables
       match the same sentences in texts.
"""

import re
from typing import Final

from accel.model.observation import Noted
from accel.vendors.toolkit.notes import noted

_SENTENCES: Final = (
    ("npu-smi-device-used", r"dcmi \w+ initializ\w+ failed,? because the device is used\.? ret is (?P<code>-\d+)"),
    ("npu-smi-dcmi-failed", r"dcmi \w+ initializ\w+ failed\.? ret is (?P<code>-\d+)"),
    ("npu-smi-board-type-failed", r"npu get board type failed\.? ret is (?P<code>-\d+)"),
    ("npu-smi-invalid-card", r"Invalid card id|Error parameter of -i"),
)
_BY_EXIT: Final = {187: ("npu-smi-dcmi-failed", "-8005"), 172: ("npu-smi-device-used", "-8020")}


def error_noted(command: str, said: str, exit_code: int | None) -> Noted | None:
    """Return a failed npu-smi's error, from its message or else its exit code; None if both are unknown."""
    for name, pattern in _SENTENCES:
        found = re.search(pattern, said)
        if found:
            return noted(name, found[0], command, **found.groupdict())
    if exit_code in _BY_EXIT:
        name, code = _BY_EXIT[exit_code]
        return noted(name, f"exit {exit_code}", command, code=code)
    return None
