"""Read InfiniBand and RoCE ports from the tools of rdma-core, MLNX_OFED and iproute2.

    CA 'mlx5_0'                     hca_id: mlx5_0                        Infiniband device 'mlx5_0' port 1 status:
        CA type: MT4129                 fw_ver:      28.39.1002               default gid:  fe80:0000:…
        Firmware version: 28.39.1002    phys_port_cnt: 1                      state:        4: ACTIVE
        Port 1:                             port:   1                         phys state:   5: LinkUp
            State: Active                       state:      PORT_ACTIVE (4)   rate:         400 Gb/sec (4X NDR)
            Physical state: LinkUp              link_layer: InfiniBand        link_layer:   InfiniBand
            Rate: 400                           active_width: 4X (2)
            Link layer: InfiniBand              active_speed: 100.0 Gbps (64)

    link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1np0

Tools    ibstat, ibv_devinfo and ibv_devinfo -v, ibstatus, rdma link show
Source   ibstat(8), ibv_devinfo(1), ibstatus(8), rdma-link(8); rdma-core: libibverbs/enum_strs.c, infiniband-diags
Known    from the tools' sources and from memory; not tested with a real card
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from accel.model.wiring import NetworkPort, Wiring
from accel.text.lines import lines_of
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading

SOURCE: Final = "network ports"
_CARD: Final = pattern(r"^\s{0,8}(?:CA '([\w.-]{1,40})'|hca_id:\s{1,20}([\w.-]{1,40}))\s{0,8}$")
_PORT: Final = pattern(r"^\s{1,40}(?:Port (\d{1,3}):|port:\s{1,20}(\d{1,3}))\s{0,8}$")
_BOTH: Final = pattern(r"^\s{0,8}Infiniband device '([\w.-]{1,40})' port (\d{1,3}) status:")
_LABEL: Final = pattern(r"^\s{1,40}([A-Za-z][\w ]{1,30}):\s{0,40}(\S.{0,80}?)\s{0,20}$")
_RDMA: Final = pattern(
    r"^\s{0,8}(?:link|\d{1,4}/\d{1,4}:) ([\w.-]{1,40})/(\d{1,3}):? (?:.{1,160} )?state (\w{1,20}) "
    r"physical_state (\w{1,30})(?: netdev ([\w.@-]{1,40}))?"
)
_RATE: Final = pattern(r"(\d{1,5}(?:\.\d{1,2})?)(?: Gb/sec)?(?: \((\d{1,2})X(?: ([A-Z0-9]{1,8}))?\))?$")
_NUMBERED: Final = pattern(r"^\d{1,2}: ?|^PORT_| ?\(\d{1,3}\)$")
_STATES: Final = {"INITIALIZING": "INIT", "ACT_DEFER": "ACTIVE_DEFER"}
_PHYSICAL: Final = {
    "linkup": "LinkUp",
    "polling": "Polling",
    "disabled": "Disabled",
    "sleep": "Sleep",
    "linkerrorrecovery": "LinkErrorRecovery",
    "portconfigurationtraining": "PortConfigurationTraining",
}
_Found = dict[str, Any]


def _state(text: str) -> _Found:
    word = _NUMBERED.sub("", text).upper()
    return {"state": _STATES.get(word, word)}


def _physical(text: str) -> _Found:
    word = _NUMBERED.sub("", text)
    return {"physical_state": _PHYSICAL.get(word.replace("_", "").lower(), word)}


def _rate(text: str) -> _Found:
    found = _RATE.match(text)
    if not found:
        return {}
    lanes = int(found[2]) if found[2] else None
    return {"rate_bits_per_second": round(float(found[1]) * 1e9), "lanes": lanes, "signal": found[3]}


def _width(text: str) -> _Found:
    lanes = text.partition("X")[0]
    return {"lanes": int(lanes)} if lanes.isdecimal() and len(lanes) < 3 else {}


def _lane_speed(text: str) -> _Found:
    speed = _RATE.match(text.partition(" ")[0])
    return {"lane_gbps": float(speed[1])} if speed else {}


def _mtu(text: str) -> _Found:
    size = text.partition(" ")[0]
    return {"active_mtu_bytes": int(size)} if size.isdecimal() and len(size) < 6 else {}


_OF_THE_CARD: Final = {"ca type": "model", "firmware version": "firmware_version", "fw_ver": "firmware_version"}
_OF_THE_PORT: Final[Mapping[str, Callable[[str], _Found]]] = {
    "state": _state,
    "physical state": _physical,
    "phys state": _physical,
    "phys_state": _physical,
    "rate": _rate,
    "active_width": _width,
    "active_speed": _lane_speed,
    "active_mtu": _mtu,
    "link layer": lambda text: {"link_layer": text},
    "link_layer": lambda text: {"link_layer": text},
}


def ports(text: str) -> Iterator[tuple[int, NetworkPort]]:
    """Yield (line, port) of each port with a known state, once."""
    found: dict[tuple[str, int], tuple[int, _Found]] = {}
    card: _Found = {}
    port: _Found | None = None
    for number, line in lines_of(text):
        if named := _CARD.match(line):
            card, port = {"card": named[1] or named[2]}, None
        elif both := _BOTH.match(line):
            card = {"card": both[1]}
            port = _begun(found, number, card, int(both[2]))
        elif (begun := _PORT.match(line)) and card:
            port = _begun(found, number, card, int(begun[1] or begun[2]))
        elif told := _RDMA.match(line):
            facts = _begun(found, number, {"card": told[1]}, int(told[2]))
            facts |= {**_state(told[3]), **_physical(told[4]), "interfaces": (told[5],) if told[5] else ()}
            card, port = {}, None
        elif not line.strip():
            continue
        elif not (label := _LABEL.match(line)):
            card, port = {}, None
        elif port is None and (field := _OF_THE_CARD.get(label[1].lower())) and card:
            card[field] = label[2]
        elif port is not None and (read := _OF_THE_PORT.get(label[1].lower())):
            port |= read(label[2])
    for line_number, facts in found.values():
        speed = facts.pop("lane_gbps", None)
        if speed and facts.get("lanes") and "rate_bits_per_second" not in facts:
            facts["rate_bits_per_second"] = round(speed * facts["lanes"] * 1e9)
        if "state" in facts:
            yield line_number, NetworkPort(**facts)


def _begun(found: dict[tuple[str, int], tuple[int, _Found]], line: int, card: _Found, number: int) -> _Found:
    """Return the facts of a port to fill in: several tools may report the same port."""
    facts = found.setdefault((card["card"], number), (line, {}))[1]
    facts |= {**card, "port": number}
    return facts


def _read(text: str) -> Iterator[Reading]:
    found = list(ports(text))
    if found:
        lines = [line for line, _ in found]
        wiring = Wiring(ports=tuple(port for _, port in found))
        yield Reading(source=SOURCE, wiring=wiring, first_line=min(lines), last_line=max(lines))


READER: Final = Reader(name=SOURCE, signs=("CA '", "hca_id:", "Infiniband device '", " physical_state "), read=_read)
