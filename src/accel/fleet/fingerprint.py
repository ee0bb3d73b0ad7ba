"""What a finding says, independent of node, device, process and time."""

import re
from functools import cache

from accel.text.pattern import Pattern, pattern


def fingerprint(code: str, title: str, node: str) -> str:
    """Return the code and the title without what varies between nodes: names, IDs, processes, times, counts.

    >>> fingerprint("NV006", "nvidia:3 has failed row remapping", "gpu7")
    'NV006 DEVICE has failed row remapping'
    >>> fingerprint("AC022", "The kernel killed python (7641) 7 h ago", "gpu7")
    'AC022 The kernel killed PROCESS some time ago'
    """
    if node and node in title:
        title = re.sub(rf"(?<![\w-]){re.escape(node)}(?![\w-])", "NODE", title)
    for found, put in _replaced():
        title = found.sub(put, title)
    return f"{code} {title}"


@cache
def _replaced() -> tuple[tuple[Pattern, str], ...]:
    from accel.specs import load

    rows = load().table("system/fleet")["replaced"]
    return tuple((pattern(row["form"], exact_case=row.get("exact_case", False)), row["by"]) for row in rows)
