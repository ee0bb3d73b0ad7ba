"""The target of a resolution, with the tables' data on its devices."""

from functools import cached_property

from accel.resolver.catalogue import Catalogue, Record
from accel.resolver.code import Limits, limits_of
from accel.resolver.records import Candidate
from accel.resolver.target import Accelerator, Target


class Situation:
    """The target with the tables' data on its devices, computed once for all candidates."""

    def __init__(self, catalogue: Catalogue, target: Target, wants_cpu: bool = False, follows: bool = False) -> None:
        self.catalogue = catalogue
        self.target = target
        self.wants_cpu = wants_cpu
        self.follows = follows  # the installer's default build, not a choice
        self._limits: dict[Accelerator, Limits] = {}
        self._served: dict[str, str | None] = {}
        self._floors: dict[tuple[str, str], str | None] = {}

    @cached_property
    def devices(self) -> tuple[Accelerator, ...]:
        """Return the accelerators, without duplicates."""
        return tuple(dict.fromkeys(self.target.accelerators or ()))

    def limits(self, device: Accelerator) -> Limits:
        """Return the limits of a device."""
        if device not in self._limits:
            self._limits[device] = limits_of(self.catalogue.specs, device.vendor, device.code)
        return self._limits[device]

    def served(self, family: Record) -> str | None:
        """Return the newest toolkit that the vendor's driver supports; None if unknown."""
        vendor = family["vendor"]
        if vendor not in self._served:
            driver = self.target.drivers.get(vendor)
            told = self.target.serves.get(vendor)
            if told is None and driver and family.get("toolkit"):
                system = self.target.driver_platform
                told = self.catalogue.specs.toolkit_of_driver(family["toolkit"], driver, system=system)
            self._served[vendor] = told
        return self._served[vendor]

    def code_in(self, candidate: Candidate) -> tuple[str, ...] | None:
        """Return the GPU code in a build: if it is installed, as read from its files; None if unknown."""
        name = candidate.package
        if name in self.target.held and self.target.installed.get(name) == candidate.label:
            return self.target.held[name]
        return candidate.architectures

    def floor(self, candidate: Candidate, family: Record) -> str | None:
        """Return the oldest driver on which the build runs, in the numbering of the target's driver."""
        told = (self.catalogue.packages.get(candidate.package, {}).get("driver_minimum") or {}).get(candidate.variant)
        if told is not None and self.target.driver_platform == "linux":
            return str(told)
        key = (candidate.driver_floor or "", candidate.toolkit_version or "")
        if key not in self._floors:
            found = None
            if candidate.toolkit_version:
                toolkit, platform = candidate.toolkit_version, self.target.driver_platform
                found = self.catalogue.toolkit_floor(family, toolkit, platform)
            self._floors[key] = found or candidate.driver_floor
        return self._floors[key]
