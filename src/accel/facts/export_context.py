"""What about a machine affects the technical limits of a chip in it."""

from accel.facts.questions import Facts
from accel.model.device import Device
from accel.specs.export_rules.technical import Surroundings


def surroundings(facts: Facts, device: Device) -> Surroundings:
    """Return what is known about the machine around a device; None for anything unknown."""
    driver = facts.driver(device.backend)
    system = facts.snapshot.host.system
    frameworks = {f.name: f.version for f in facts.environment.frameworks if f.version}
    toolkits = (f.cuda_version or f.rocm_version for f in facts.environment.frameworks)
    return Surroundings(
        system=system.lower() if system else None,
        toolkit=next((toolkit for toolkit in toolkits if toolkit), None),
        driver=device.driver_version or (driver.version if driver else None),
        frameworks=frameworks if frameworks or facts.environment.complete else None,
        partitioned=True if any(other.parent == device.id for other in facts.devices) else None,
    )
