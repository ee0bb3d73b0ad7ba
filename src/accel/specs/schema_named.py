"""The schema of the tables of machines and of chip partitions: accel.names.machines, accel.names.partitions."""

from typing import Final

from accel.specs.kinds import CAPABILITY, SOURCED, WORDS, Fields, list_of, number, text, whole

COMPUTER: Final[Fields] = {
    "names": list_of(WORDS),
    "chips": list_of(WORDS),
    "count": whole(1, 2**16, "a count of chips, 1 to 65536"),
    "share": WORDS,
    "npu": WORDS,
    **SOURCED,
}
SLICE: Final[Fields] = {
    "prefixes": list_of(text(r"[a-z0-9]+", "a word in lower case")),
    "chips": list_of(WORDS),
    "cores": whole(1, 16, "a count of cores, 1 to 16"),
    **SOURCED,
}
BOARD: Final[Fields] = {
    "prefixes": list_of(text(r"[a-z0-9-]+", "a word in lower case")),
    "chips": list_of(WORDS),
    **SOURCED,
}
PART_NUMBER: Final[Fields] = {
    "numbers": list_of(text(r"[0-9A-Z]{5}-\d{4}", 'the middle of a part number like "21010-0000"')),
    "chips": list_of(WORDS),
    **SOURCED,
}
SUBSYSTEM: Final[Fields] = {
    "pci_id": text(r"[0-9a-f]{4}:[0-9a-f]{4}", 'a PCI id like "10de:25b6"'),
    "subsystem": text(r"[0-9a-f]{4}:[0-9a-f]{4}", 'a PCI id like "10de:157e"'),
    "chips": list_of(WORDS),
    **SOURCED,
}
PROFILES: Final[Fields] = {
    "profiles": list_of(text(r"[0-9a-z.+-]+", 'a profile like "1g.10gb"')),
    "chips": list_of(WORDS),
    **SOURCED,
}
OUTLINE: Final[Fields] = {
    "architecture": WORDS,
    "compute_capability": CAPABILITY,
    "die_name": WORDS,
    "products": list_of(
        text(r"(-|[0-9a-f]{4}(,[0-9a-f]{4})*) \S.*", 'device ids or a dash, and a name: "1180,1189 GeForce GTX 680"')
    ),
    **SOURCED,
}
SIZE: Final[Fields] = {
    "profiles": list_of(WORDS),
    "chips": list_of(WORDS),
    "multiprocessors": whole(1, 2048, "a count of multiprocessors, 1 to 2048"),
    "memory_share": number(0.01, 1, "a share of the chip's memory, 0.01 to 1"),
    **SOURCED,
}
