"""The proxy of a third-party backend: its declarations are known here, its code runs in a child.

A child that was forked to probe, sample or watch runs the plugin's own backend; in the command's process each call is
made in the guest's process, or in a fork where it is given the machine.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from accel.model.device import Device, Memory, Process
from accel.model.errors import PluginError
from accel.model.to_builtins import plain
from accel.plugins import answers, guard
from accel.vendors.contract.backend import Mask

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.plugins.discovery import Installed
    from accel.vendors.contract.metric_names import MetricNames

_SECONDS: Final = 3.0  # for a call of the command's own process that asks the machine, the import with it
_OPTIONAL: Final = ("memory", "sample", "processes", "visible", "mask")


class Asked(Protocol):
    """The guest plugin (accel.plugins.guest.Guest)."""

    found: "Installed"
    types: dict[str, type[Device]]

    def call(self, what: str, seconds: float, kind: str, *given: Any) -> Any: ...


class GuestBackend:
    """A third-party backend. row: its process's description of it."""

    def __init__(self, guest: Asked, row: Mapping[str, Any]) -> None:
        self._guest, self._home = guest, os.getpid()
        self.name, self.vendor = str(row["name"]), str(row["vendor"])
        self.device_type = answers.record_of(row["device"], self.name)
        self.columns = {str(name): str(field) for name, field in row["columns"].items()}
        self._metric_names = row["metric_names"]
        for member in _OPTIONAL:
            if member in row["members"]:
                setattr(self, member, getattr(self, f"_{member}"))
        if row["stated"] is not None:
            self.stated = answers.stated_of(row["stated"], self.device_type)
            self.nodes_by_address = self._nodes_by_address

    def __getattr__(self, name: str) -> Any:
        """Return other attributes of the plugin's own backend, where its code may run: `readings` in a child."""
        if name.startswith("_") or self._is_home:
            raise AttributeError(name)
        return getattr(self._real, name)

    def own_devices(self, devices: Sequence[Device]) -> list[Device]:
        """Return the devices as the plugin's own records, in a process that runs its code."""
        made = getattr(self._real, "device_type", Device)
        return [
            answers.devices_of([plain(device)], {self.name: made})[0] if type(device) is self.device_type else device
            for device in devices
        ]

    @property
    def metric_names(self) -> "Sequence[MetricNames]":
        """The exporters' names of its readings; labels are requested from its process."""
        from accel.vendors.contract.metric_names import MetricNames

        return tuple(
            MetricNames(
                exporter=str(row["exporter"]),
                names=answers.metric_names_of(row["names"]),
                labels=partial(self._labels, number),
            )
            for number, row in enumerate(self._metric_names)
        )

    def detect(self, machine: "Machine") -> bool:
        return bool(self._done("detect", machine))

    def probe(self, machine: "Machine", request: Any) -> Any:
        given = self._done("probe", machine, request)
        return answers.reports_of(given, self._guest.types) if self._is_home else given

    def _memory(self, machine: "Machine", device_id: str) -> Any:
        given = self._done("memory", machine, device_id)
        return msgspec.convert(given, Memory | None) if self._is_home else given

    def _sample(self, machine: "Machine", devices: Sequence[Device]) -> Any:
        given = self._done("sample", machine, devices)
        return answers.devices_of(given, {self.name: self.device_type}) if self._is_home else given

    def _processes(self, machine: "Machine") -> Any:
        given = self._done("processes", machine)
        return msgspec.convert(given, dict[str, tuple[Process, ...] | None]) if self._is_home else given

    def _nodes_by_address(self, machine: "Machine") -> Any:
        given = self._done("nodes_by_address", machine)
        return msgspec.convert(given, dict[str, str]) if self._is_home else given

    def _visible(self, devices: Sequence[Device], variables: Mapping[str, str]) -> Sequence[Device]:
        if not self._is_home:
            shown: Sequence[Device] = self._real.visible(self.own_devices(devices), variables)
            return shown
        given = self._guest.call("visible()", _SECONDS, "visible", plain(devices), dict(variables))
        return answers.devices_of(given, {self.name: self.device_type})

    def _mask(self, chosen: Sequence[Device], devices: Sequence[Device], variables: Mapping[str, str]) -> Mask:
        if not self._is_home:
            made: Mask = self._real.mask(self.own_devices(chosen), self.own_devices(devices), variables)
            return made
        given = self._guest.call("mask()", _SECONDS, "mask", plain(chosen), plain(devices), dict(variables))
        return answers.mask_of(given)

    def _labels(self, number: int, device: Device, host: str) -> Mapping[str, str]:
        given = self._guest.call("labels()", _SECONDS, "labels", number, plain(device), host)
        return msgspec.convert(given, dict[str, str])

    @property
    def _is_home(self) -> bool:
        """Return whether this is the command's process, which runs none of the plugin's code."""
        return os.getpid() == self._home

    @cached_property
    def _real(self) -> Any:
        from accel.plugins.guest_host import Host

        return Host(self._guest.found).backend

    def _done(self, method: str, *given: Any) -> Any:
        """Return the result of a method of the plugin's backend; in the command's process, as plain values."""

        def act() -> Any:
            own = [self.own_devices(one) if method == "sample" and one is given[-1] else one for one in given]
            done: Callable[..., Any] = getattr(self._real, method)
            return done(*own)

        if not self._is_home:
            return act()
        whose = f"plugin {self._guest.found.name}, {method}()"
        try:
            told = answers.data_of(guard.once(lambda: _as_bytes(act), _SECONDS))
        except guard.Fault as fault:
            raise PluginError(f"{whose}: {fault}") from None
        except msgspec.DecodeError:
            raise PluginError(f"{whose}: wrote to a pipe that is not its own") from None
        if not isinstance(told, dict) or "value" not in told:
            raise PluginError(f"{whose}: {told.get('error') if isinstance(told, dict) else told!r:.60}")
        return told["value"]


def _as_bytes(act: Callable[[], Any]) -> bytes:
    try:
        return json.dumps({"value": plain(act())}).encode()
    except (Exception, SystemExit) as error:  # a plugin's code may raise anything
        return json.dumps({"error": f"{type(error).__name__}: {error}"[:400]}).encode()
