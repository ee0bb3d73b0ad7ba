"""Access control (ACS) in the configuration space of a PCI function. Pure.

    0x100   u16 id of the capability, u16 version in the low 4 bits and offset of the next in the high 12
    id 13   ACS: u16 capability at +4, u16 control at +6; bits as in ACS_FLAGS, named as in lspci
Only the first 64 bytes are readable without CAP_SYS_ADMIN; a missing device reads as ones.
Source  PCI Express base specification 6.0, 7.7.11; Linux include/uapi/linux/pci_regs.h: PCI_EXT_CAP_ID_ACS
"""

from typing import Final

SIZE_BYTES: Final = 4096
_OPEN: Final = 64  # bytes that anybody may read
_EXTENDED: Final = 0x100
_ACS: Final = 13
_MOST_CAPABILITIES: Final = 48  # more would not fit: a chain that goes on is a loop
ACS_FLAGS: Final = (
    *("SrcValid", "TransBlk", "ReqRedir", "CmpltRedir", "UpstreamFwd", "EgressCtrl", "DirectTrans"),
)  # by their bits, from 0


def acs(space: bytes) -> tuple[str, ...] | None:
    """Return the enabled access control flags; () for a function without ACS; None if not readable."""
    if len(space) <= _OPEN or space[:4] == b"\xff\xff\xff\xff":
        return None
    at = _EXTENDED
    for _ in range(_MOST_CAPABILITIES):
        head = int.from_bytes(space[at : at + 4], "little")
        if head & 0xFFFF == _ACS and at + 8 <= len(space):
            control = int.from_bytes(space[at + 6 : at + 8], "little")
            return tuple(flag for bit, flag in enumerate(ACS_FLAGS) if control >> bit & 1)
        at = head >> 20 & 0xFFC
        if at < _EXTENDED:
            break
    return ()
