"""Acme devices of a live machine: acme-smi, if a node of the driver or a board on the bus says that there is any."""

import os
import time
from dataclasses import replace

from accel.model.device import Device, Gap, Memory, Process
from accel.model.observation import Noted
from accel.model.report import Report
from accel.vendors.contract.backend import Request
from accel_acme.reader import read

_CHANGING = ("memory_used_bytes", "memory_free_bytes", "utilization_percent", "temperature_celsius", "power_watts")


class AcmeBackend:
    """Asks acme-smi, and nothing else."""

    name = "acme"
    vendor = "Acme"
    device_type = Device

    def detect(self, machine):
        return machine.exists("/dev/acme0") or any(i.startswith("f00d:") for i in machine.pci_ids())

    def probe(self, machine, request):
        request.progress.calling("acme-smi")
        done = machine.run(["acme-smi"], 5.0)
        reports = [report for reading in read(done.stdout) for report in reading.reports]
        if reports:
            return reports
        if done.missing:
            why = "acme-smi is not installed"
        elif done.timed_out:
            why = "acme-smi did not answer in 5 s"
        else:
            why = f"acme-smi ended with {done.exit_code} and listed nothing"
        gap = Gap(fact="devices", reason=why, backend="acme", source="acme-smi")
        seen = (Noted(fact="acme-no-list", text=why, grade="measured"),) if self.detect(machine) else ()
        return [Report(backend="acme", source="acme-smi", status="failed", observations=seen, gaps=(gap,))]

    def memory(self, machine, device_id):
        device = self._latest(machine).get(device_id)
        if device is None:
            return None
        return Memory(total_bytes=device.memory_total_bytes, used_bytes=device.memory_used_bytes)

    def sample(self, machine, devices):
        latest = self._latest(machine)
        unknown = {**dict.fromkeys(_CHANGING), "health": "unknown"}
        return [latest.get(device.id) or replace(device, **unknown) for device in devices]

    def processes(self, machine):
        return dict.fromkeys(self._latest(machine))

    def visible(self, devices, variables):
        mask = variables.get("ACME_VISIBLE")
        shown = None if mask is None else mask.split(",")
        return [replace(d, visible=shown is None or str(d.index) in shown) for d in devices]

    def _latest(self, machine):
        return {d.id: d for report in self.probe(machine, Request()) for d in report.devices}


__all__ = ["AcmeBackend", "Process", "os", "time"]
