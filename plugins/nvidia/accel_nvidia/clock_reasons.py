"""Why clocks are lower than they could be: the bits of NVML's mask, by name.

Source  nvml.h: nvmlClocksEventReason*
"""

from typing import Final

REASONS: Final = {
    0x1: "idle",
    0x2: "applications-clocks",
    0x4: "sw-power-cap",
    0x8: "hw-slowdown",
    0x10: "sync-boost",
    0x20: "sw-thermal-slowdown",
    0x40: "hw-thermal-slowdown",
    0x80: "hw-power-brake",
    0x100: "display-clocks",
}


def reasons(mask: int) -> tuple[str, ...]:
    """Return the names of the set bits; an unnamed bit is returned as a number.

    >>> reasons(0x44), reasons(0), reasons(0x8000)
    (('sw-power-cap', 'hw-thermal-slowdown'), (), ('0x8000',))
    """
    bits = [1 << place for place in range(64) if mask >> place & 1]
    return tuple(REASONS.get(bit, f"{bit:#x}") for bit in bits)
