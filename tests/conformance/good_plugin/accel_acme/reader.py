"""acme-smi's list, as version 2 prints it.

acme-smi 2.4
acme0  X1  ACME-00a1  0000:3b:00.0  65536 MiB  2048 MiB  37 %  61 C  180 W  OK
"""

import re

from accel.model.device import Device
from accel.model.report import Driver, Report
from accel.vendors.contract.backend import Reader, Reading

_ROW = re.compile(
    r"^acme(?P<index>\d+)  (?P<name>\S+)  (?P<uuid>\S+)  (?P<address>[0-9a-f:.]{12})  (?P<total>\d+) MiB  "
    r"(?P<used>\d+|N/A) MiB  (?P<load>\d+|N/A) %  (?P<heat>\d+|N/A) C  (?P<power>\d+|N/A) W  (?P<health>OK|BAD|N/A)$",
    re.MULTILINE,
)
_HEAD = re.compile(r"^acme-smi (\d+\.\d+)$", re.MULTILINE)
_HEALTH = {"OK": "ok", "BAD": "critical", "N/A": "unknown"}


def read(text):
    """Yield the devices of each whole row; what is printed as N/A is None."""
    head = _HEAD.search(text)
    devices = tuple(_device(row) for row in _ROW.finditer(text)) if head else ()
    if devices:
        driver = Driver(version=head[1])
        yield Reading(
            source="acme-smi",
            reports=(Report(backend="acme", source="acme-smi", trust=60, driver=driver, devices=devices),),
        )


def _device(row):
    used = _number(row["used"])
    total = int(row["total"]) * 2**20
    return Device(
        id=f"acme:{row['index']}",
        index=int(row["index"]),
        backend="acme",
        vendor="Acme",
        kind="accelerator",
        name=row["name"],
        uuid=row["uuid"],
        pci_address=row["address"],
        memory_total_bytes=total,
        memory_used_bytes=None if used is None else used * 2**20,
        utilization_percent=_number(row["load"]),
        temperature_celsius=_number(row["heat"]),
        power_watts=_number(row["power"]),
        health=_HEALTH[row["health"]],
    )


def _number(text):
    return None if text == "N/A" else int(text)


READER = Reader(name="acme-smi", signs=("acme-smi ",), read=read)
