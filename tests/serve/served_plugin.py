"""A vendor that is made up: two devices whose names would like to be mark-up."""

import os
from dataclasses import replace

from accel.model.device import Device, Process
from accel.model.report import Report
from accel.vendors.contract.hookspecs import hookimpl


def _one(index):
    named = {"name": "<img src=x onerror=alert(1)> 昇腾", "uuid": f"A-{index}"}
    return Device(id=f"acme:{index}", index=index, backend="acme", vendor="Acme", kind="npu", **named)


class Backend:
    name, vendor, device_type = "acme", "Acme", Device

    def detect(self, machine):
        return True

    def probe(self, machine, request):
        return (Report(backend="acme", source="made up", devices=(_one(0), _one(1))),)

    def memory(self, machine, device_id):
        return None

    def processes(self, machine):
        return {}

    def visible(self, devices, variables):
        return devices

    def sample(self, machine, devices):
        held = (Process(pid=os.getppid(), name="<script>alert(1)</script>", memory_bytes=2**30),)
        return [replace(one, utilization_percent=97.0 - one.index, processes=held) for one in devices]


@hookimpl
def accel_backend():
    return Backend()
