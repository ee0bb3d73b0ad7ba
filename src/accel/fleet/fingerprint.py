"""What a finding says apart from the node and the device it was found on."""

from typing import Final

from accel.text.pattern import pattern

_ID: Final = pattern(r"\b[a-z]+:\d+(?:[–-]\d+)?(?:/[a-z]*\d+)*\b")
_UUID: Final = pattern(r"\b(?:GPU-|MIG-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_ADDRESS: Final = pattern(r"\b(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\b|\b0x[0-9a-f]+\b")
_LIST: Final = pattern(r"DEVICE(?:(?:, | and |,)DEVICE)+")
_COUNT: Final = pattern(r"\b\d+(?:\.\d+)? ?(?:°C|W|%|MHz|GiB|MiB|errors?|times|replays?|s)\b")


def fingerprint(code: str, title: str, node: str) -> str:
    """Return the code with the title without what differs from node to node: its name, ids, addresses, counts.

    >>> fingerprint("NV006", "nvidia:3 has failed row remapping", "gpu7")
    'NV006 DEVICE has failed row remapping'
    """
    if node and len(node) > 1:
        title = title.replace(node, "NODE")
    for found, put in ((_UUID, "DEVICE"), (_ADDRESS, "DEVICE"), (_ID, "DEVICE"), (_LIST, "DEVICE"), (_COUNT, "N")):
        title = found.sub(put, title)
    return f"{code} {title}"
