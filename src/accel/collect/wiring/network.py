"""RDMA ports of network cards: InfiniBand and RoCE.

Reads   /sys/class/infiniband/<card>/device           a link to the PCI function
            hca_type fw_ver                           "MT4129", "28.39.1002"
            ports/<n>/state phys_state                "4: ACTIVE", "5: LinkUp"
            ports/<n>/rate link_layer                 "400 Gb/sec (4X NDR)", "InfiniBand" or "Ethernet"
            ports/<n>/counters/{link_downed,link_error_recovery,symbol_error,port_rcv_errors}
            ports/<n>/gids/<i>, gid_attrs/types/<i>   "fe80:0000:…", "RoCE v2"
        /sys/bus/pci/devices/<address>/net/<name>/carrier_down_count, mtu
Source  Linux Documentation/ABI/stable/sysfs-class-infiniband, testing/sysfs-class-net
Reading a port queries its firmware, which does not answer if it has crashed: each port is a separate call.
"""

from typing import Any, Final

from accel.collect.wiring.pci import BUS
from accel.machine.files import file_number, file_text, names_in
from accel.machine.protocol import Machine
from accel.model.wiring import NetworkPort
from accel.text.pattern import pattern

CARDS: Final = "/sys/class/infiniband"
MOST_CARDS: Final = 256
_MOST_PORTS: Final = 4  # of one card
_MOST_GIDS: Final = 4  # that are looked at: a card has room for hundreds, and each is a question to it
_RATE: Final = pattern(r"(\d{1,5}(?:\.\d{1,2})?) Gb/sec(?: \((\d{1,2})X ([A-Z0-9]{1,8})\))?")
_ADDRESS: Final = pattern(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_COUNTERS: Final = {
    "link_downed": "link_downs",
    "link_error_recovery": "link_recoveries",
    "symbol_error": "symbol_errors",
    "port_rcv_errors": "receive_errors",
}
_NO_ADDRESS: Final = frozenset("0:")


def cards(machine: Machine) -> dict[str, str | None]:
    """Return the cards with the address of their PCI function, without virtual functions."""
    found: dict[str, str | None] = {}
    for card in names_in(machine, CARDS)[:MOST_CARDS]:
        address = (machine.link(f"{CARDS}/{card}/device") or "").rpartition("/")[2]
        known = address if _ADDRESS.fullmatch(address) else None
        if known is None or machine.link(f"{BUS}/{known}/physfn") is None:
            found[card] = known
    return found


def ports(machine: Machine, card: str, address: str | None, *, brief: bool = False) -> tuple[NetworkPort, ...]:
    """Return a card's ports. brief: without counters, addresses and MTU."""
    folder = f"{CARDS}/{card}"
    numbers = sorted(int(name) for name in names_in(machine, f"{folder}/ports") if name.isdecimal() and len(name) < 4)
    driver = (machine.link(f"{BUS}/{address}/driver") or "").rpartition("/")[2] if address else ""
    whole: dict[str, Any] = {
        "pci_address": address,
        "driver": driver or None,
        "model": file_text(machine, f"{folder}/hca_type", 256),
        "firmware_version": file_text(machine, f"{folder}/fw_ver", 256),
    }
    net = f"{BUS}/{address}/net"
    names = names_in(machine, net) if address else ()
    if len(numbers) == 1 and brief:
        whole["interfaces"] = names[:_MOST_PORTS]
    elif len(numbers) == 1:  # if a card has several ports, this does not say which interface belongs to which
        downs = [file_number(machine, f"{net}/{name}/carrier_down_count") for name in names[:_MOST_PORTS]]
        known = [count for count in downs if count is not None]
        largest = {file_number(machine, f"{net}/{name}/mtu") for name in names[:_MOST_PORTS]}
        whole |= {
            "interfaces": names[:_MOST_PORTS],
            "carrier_downs": max(known) if known else None,
            "mtu_bytes": largest.pop() if len(largest) == 1 else None,
        }
    return tuple(_port(machine, card, number, whole, brief) for number in numbers[:_MOST_PORTS])


def _port(machine: Machine, card: str, number: int, whole: dict[str, Any], brief: bool) -> NetworkPort:
    folder = f"{CARDS}/{card}/ports/{number}"
    rate = _RATE.match(file_text(machine, f"{folder}/rate", 256) or "")
    gids = None if brief else _gids(machine, folder)
    counters = {} if brief else _COUNTERS
    counted: dict[str, Any] = {
        field: file_number(machine, f"{folder}/counters/{name}") for name, field in counters.items()
    }
    return NetworkPort(
        card=card,
        port=number,
        link_layer=file_text(machine, f"{folder}/link_layer", 256),
        state=_word(file_text(machine, f"{folder}/state", 256)),
        physical_state=_word(file_text(machine, f"{folder}/phys_state", 256)),
        rate_bits_per_second=round(float(rate[1]) * 1e9) if rate else None,
        lanes=int(rate[2]) if rate and rate[2] else None,
        signal=rate[3] if rate else None,
        gids=None if gids is None else tuple(gid for _, gid in gids),
        gid_types=None
        if gids is None
        else tuple(file_text(machine, f"{folder}/gid_attrs/types/{index}", 256) or "?" for index, _ in gids),
        **counted,
        **whole,
    )


def _gids(machine: Machine, folder: str) -> list[tuple[int, str]] | None:
    """Return the first non-zero GIDs with their indices; None if not even the first can be read."""
    found: list[tuple[int, str]] = []
    for index in range(_MOST_GIDS):
        gid = file_text(machine, f"{folder}/gids/{index}", 256)
        if gid is None:
            return found if index else None
        if not _NO_ADDRESS.issuperset(gid):
            found.append((index, gid))
    return found


def _word(text: str | None) -> str | None:
    """Return the word after the number: "ACTIVE" for "4: ACTIVE"."""
    return text.rpartition(":")[2].strip() or None if text else None
