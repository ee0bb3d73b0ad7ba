from typing import Final

from accel.facts.containers import in_container, is_kubernetes
from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import chained, command_line
from accel.vendors.toolkit.table_steps import fix
from accel_nvidia import around
from accel_nvidia.fabric_package import package_of

_OF_THE_DRIVER: Final = (
    "V=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader -i 0); "
    'sudo apt install --allow-downgrades "nvidia-fabricmanager-${V%%.*}=$V-*"'
)


@check(
    code="NV090",
    name="fabric-manager-version-mismatch",
    layer="driver",
    family="fabric-manager-not-running",
    reads=(
        *("fabric-manager-version", "fabric-manager-package", "driver-package", "system-not-ready"),
        *("fabric-manager-down", "fabric-in-progress", *around.AROUND),
    ),
    needs=("use.torch|jax|tensorflow",),
)
def fabric_manager_version_mismatch(facts: Facts, specs: Specs) -> Problems:
    """The fabric manager refuses to start because its version is not exactly the driver's.

    Why it matters   Without it the NVSwitch fabric is not configured, and every CUDA program fails with error 802.
    What to do       Install the fabric manager of the driver's full version; the same branch is not enough.
    Looks at         the fabric manager's message, which has both versions; if the fabric is not configured, the
                     versions of the two packages
    Silent when      the two versions are equal
    Source           NVIDIA: Fabric Manager for NVSwitch systems, user guide
    """
    said = facts.stated("fabric-manager-version")
    whole = {fact.line for fact in said if fact.value("driver") or fact.value("wants")}
    stated = [fact for fact in said if fact.value("driver") or fact.value("wants") or fact.line not in whole]
    for fact in stated:
        manager = fact.value("manager") or fact.value("has")
        driver = fact.value("driver") or fact.value("wants") or around.driver_version(facts)
        if manager and driver and manager == driver:
            continue
        title = (
            (f" ({manager}) does not match the driver's version ({driver})")
            if manager and driver
            else (f" ({manager})" if manager else "") + " does not match the driver's version"
        )
        yield Problem(
            title=f"The fabric manager{title}",
            evidence=quoted(stated),
            remedies=_remedies(facts, specs, driver),
        )
        return
    down = facts.stated("system-not-ready", "fabric-manager-down", "fabric-in-progress")
    packages = [fact for fact in facts.stated("fabric-manager-package") if _plain(fact.value("manager"))]
    drivers = [fact for fact in facts.stated(*around.DRIVER_NAMED) if _plain(fact.value("driver"))]
    driver = _plain(around.driver_version(facts)) or _plain(around.installed_driver(facts))
    driver = driver or (_plain(drivers[0].value("driver")) if len(drivers) == 1 else None)
    if down and packages and driver and (manager := _plain(packages[0].value("manager"))) != driver:
        yield Problem(
            title=f"The fabric manager ({manager}) does not match the driver's version ({driver})",
            evidence=quoted((*packages[:1], *drivers[:1], *down[:2])),
            remedies=_remedies(facts, specs, driver),
        )


def _plain(version: str | None) -> str | None:
    """Return a version without its build suffix; None if it is only a branch."""
    plain = (version or "").split("-")[0]
    return plain if plain.count(".") >= 1 else None


def _remedies(facts: Facts, specs: Specs, driver: str | None) -> tuple[Remedy, ...]:
    where = "On the host, not in the container: install" if in_container(facts) else "Install"
    package = Remedy(
        text=f"{where} the fabric manager in exactly the driver's version{f', {driver}' if driver else ''}, and "
        "restart it.",
        command=chained(
            command_line("sudo apt install --allow-downgrades", package_of(driver)) if driver else _OF_THE_DRIVER,
            "sudo systemctl restart nvidia-fabricmanager",
        ),
        action="admin",
    )
    start = fix(specs, "nvidia", "pin-fabric-manager")
    if is_kubernetes(facts):
        image = fix(specs, "nvidia", "operator-fabric-manager")
        return (package, image, start)
    return (package, start)
