"""What a finding says, independent of node, device, process and time."""

import re
from typing import Final

from accel.text.pattern import pattern

_REPLACED: Final = (
    (pattern(r"\b(?:GPU-|MIG-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "DEVICE"),
    (pattern(r"\b(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\b|\b0x[0-9a-f]{1,16}\b"), "DEVICE"),
    (pattern(r"\b[a-z]{2,20}:\d{1,4}(?:[–-]\d{1,4})?(?:/[a-z]{0,8}\d{1,4}){0,3}(?![\w:])"), "DEVICE"),
    (pattern(r"/dev/[a-z]{2,20}(?:/[a-z]{2,20})?\d{1,4}\b"), "DEVICE"),
    (pattern(r"DEVICE(?:(?:, and |, | and |,)DEVICE){1,200}"), "DEVICE"),
    (pattern(r"\b(?:mlx\d|hfi\d|bnxt_re|irdma|roce)_?\w{1,12}\b|\b(?:ib|eth|bond|en[pso])\d\w{0,12}\b"), "PORT"),
    (pattern(r"PORT(?:(?:, and |, | and |,)PORT){1,200}"), "PORT"),
    (pattern(r"[^\s()]{1,80} \((?:pid )?\d{1,8}\)|\b(?:process|pid) \d{1,8}\b"), "PROCESS"),
    (pattern(r"PROCESS(?:(?:, and |, | and |,)PROCESS){1,200}"), "PROCESS"),
    (pattern(r"\b\d{1,9} ?(?:s|min|h|d|seconds?|minutes?|hours?|days?|weeks?|months?) ago\b"), "some time ago"),
    (pattern(r"(?:\b\d{4}-\d\d-\d\d[T ])?\b\d\d:\d\d:\d\d(?:\.\d{1,9})?Z?\b"), "some time"),
    (
        pattern(
            r"\b\d[\d,]{0,15}(?:\.\d{1,9})? ?(?:°C|W|%|[kMG]Hz|[kMGT]i?B(?:/s)?|[GM]T/s|bytes|errors?|times|replays?|"
            r"devices|processes|pages|ms|s|seconds|minutes|hours|days)(?!\w)",
            exact_case=True,
        ),
        "N",
    ),
    (pattern(r"N, the others of its model at \d{1,4}"), "N, the others of its model at N"),
)


def fingerprint(code: str, title: str, node: str) -> str:
    """Return the code and the title without what varies between nodes: names, IDs, processes, times, counts.

    >>> fingerprint("NV006", "nvidia:3 has failed row remapping", "gpu7")
    'NV006 DEVICE has failed row remapping'
    >>> fingerprint("AC022", "The kernel killed python (7641) 7 h ago", "gpu7")
    'AC022 The kernel killed PROCESS some time ago'
    """
    if node and node in title:
        title = re.sub(rf"(?<![\w-]){re.escape(node)}(?![\w-])", "NODE", title)
    for found, put in _REPLACED:
        title = found.sub(put, title)
    return f"{code} {title}"
