"""How to get a driver on this machine, from specs/nvidia/driver_installs.yaml. Pure."""

from typing import TYPE_CHECKING, Final

from accel.facts.containers import in_container
from accel.facts.query import holds
from accel.specs.support import support_of
from accel.text.pattern import pattern
from accel.vendors.contract.check import Facts, Remedy, Specs
from accel.vendors.contract.command import chained, command_line, path_word, system_package_word, url_word
from accel_nvidia import around
from accel_nvidia.architecture_fit import capabilities, capability_of
from accel_nvidia.branches import last_branch, last_toolkit
from accel_nvidia.version import older, parts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_OPEN_FOR_BLACKWELL: Final = 570  # the first branch that supports it
_LONG_SUPPORT: Final = 580
_MODULES: Final = ("thor", "orin", "xavier", "tx2", "tx1", "nano")  # "Orin Nano" is an Orin
_RELEASE: Final = pattern(r"(?<![\d.])(\d{1,2})(?!\d)", exact_case=True)
_REPOSITORY: Final = "driver-repository-named"


def newer_driver(facts: Facts, specs: Specs, floor: str | None, why: str | None = None) -> Remedy:
    """Return the remedy, with a command if the distribution is known.

    floor  the oldest sufficient driver
    why    the introductory sentence, if it is not the floor
    """
    wanted = why or (f"Driver {floor} or newer is needed. " if floor else _least(facts, specs))
    last = last_branch(facts, specs)
    least = floor or (None if why else min(_floors(facts, specs).values(), key=parts, default=None))
    if last is not None and least is not None and parts(least)[0] > last["branch"]:
        return _beyond(last, least, facts, specs)
    return _driver(facts, specs, wanted, floor)


def first_driver(facts: Facts, specs: Specs) -> Remedy:
    """Return the remedy if no driver is installed yet, with a command if the distribution is known."""
    row = _row(facts, specs)
    if row is not None and "first" in row:
        return Remedy(text=row["first"]["says"], command=row["first"]["command"], action="reboot")
    return _driver(facts, specs, "")


def open_modules(facts: Facts, specs: Specs, version: str | None) -> Remedy:
    """Return how to install the open kernel modules; version: the installed driver's, if known."""
    row = _row(facts, specs) or {}
    own = parts(version or "")[:1]
    branch = own[0] if own and own[0] >= _OPEN_FOR_BLACKWELL else _LONG_SUPPORT
    command = _behind_repository(row, row.get("open"), facts)
    if "open_package" in row:
        package = system_package_word(row["open_package"].replace("{branch}", str(branch)))
        command = command_line("sudo apt install", package, "&& sudo reboot")
    says = row.get("open_says", "Replace the proprietary modules with the open kernel modules, and reboot.")
    if command is None and facts.first("driver-from-runfile") is not None and version is not None:
        command = command_line("sudo sh", path_word(f"./NVIDIA-Linux-x86_64-{version}.run"), "-M open && sudo reboot")
        says = "Run the installer again for the open kernel modules, and reboot."
    elif command is None:
        says += " The command depends on the distribution, which  cat /etc/os-release  shows."
    return Remedy(
        text=f"{says} They support Turing and newer, and are the only ones for Blackwell.",
        command=command,
        action="admin",
    )


def proprietary_modules(facts: Facts, specs: Specs, version: str | None, why: str | None = None) -> Remedy:
    """Return how to replace the open kernel modules by the proprietary ones, depending on who packages them.

    why  the closing sentence; None: it is about a GPU before Turing
    """
    branch = next(iter(parts(version or "")), None)
    which = f"of branch {branch}, which is installed here," if branch else "of a branch up to 580"
    why = why or f"The proprietary modules {which} support GPUs before Turing, the open ones do not."
    told = (facts.host.distribution or "").lower()
    for row in specs.table("nvidia/driver_installs")["flavours"]:
        here = row["distribution"].lower() in told if "distribution" in row else facts.mentions(*row["signs"])
        command = row.get("command")
        if here and "package" in row and branch:
            package = system_package_word(row["package"].replace("{branch}", str(branch)))
            command = command_line("sudo apt install", package, "&& sudo reboot")
        elif here and row.get("runfile") and version is not None and version.count(".") > 1:
            run = path_word(f"./NVIDIA-Linux-x86_64-{version}.run")
            command = command_line("sudo sh", run, "-M proprietary && sudo reboot")
        if here:
            return Remedy(text=f"{row['says']} {why}", command=command, action="reboot" if command else "admin")
    return Remedy(
        text=f"{why} With apt, that is the driver package without -open; with negativo17's akmods, kernel "
        "instead of kernel-open in /etc/nvidia/kernel.conf and  akmods --rebuild;  with NVIDIA's installer, "
        "-M proprietary; then reboot. The text does not say who packages the driver: check  cat "
        "/etc/os-release  and  modinfo -n nvidia.",
        action="admin",
    )


def _least(facts: Facts, specs: Specs) -> str:
    """Return the sentence for a program whose CUDA version is unknown."""
    needs = ", ".join(
        f"{floor} or newer for a program of CUDA {major}" for major, floor in _floors(facts, specs).items()
    )
    return f"A newer driver is needed: {needs}. " if needs else "A newer driver is needed. "


def _floors(facts: Facts, specs: Specs) -> dict[int, str]:
    """Return the minimum driver for the installed toolkit's CUDA major; for the two newest if it is unknown."""
    column = "driver_floor_windows" if around.on_windows(facts) else "driver_floor"
    floors: dict[int, str] = {
        row["major"]: row[column] for row in (specs.table("nvidia/cuda") or {}).get("floors", ()) if row[column]
    }
    here = {parts(one.version or "")[:1] for one in facts.environment.toolkits if one.name == "cuda"} - {()}
    own = {number for one in here for number in one}
    majors = sorted(own & floors.keys()) if len(own) == 1 else sorted(floors)[-2:]
    return {major: floors[major] for major in majors}


def _beyond(last: "Mapping[str, Any]", floor: str, facts: Facts, specs: Specs) -> Remedy:
    """Return the step if the required driver no longer supports the GPU."""
    serves = last_toolkit(facts, specs, last["branch"])
    toolkit = f"CUDA {serves}" if serves else "the CUDA that the branch supports"
    return Remedy(
        text=f"Driver {floor} or newer is needed, but no driver after branch {last['branch']} supports {last['gpus']}. "
        f"Use a release of the program that was built for {toolkit} or older, or run it on the CPU.",
        action="env",
    )


def _driver(facts: Facts, specs: Specs, wanted: str, floor: str | None = None) -> Remedy:
    if around.on_jetson(facts):
        return _of_jetson(facts, specs, wanted if wanted.startswith("Driver ") else "")
    row = _row(facts, specs)
    if row is None:
        what = "the NVIDIA driver" if not wanted else "a newer driver" if "older" in wanted else "it"
        return Remedy(text=f"{wanted}Install {what} from nvidia.com/drivers, then reboot.", action="admin")
    where = "On the host, not in the container: " if in_container(facts) else ""
    command, says = row["command"], row["says"]
    if "akmod" in row and any("akmod" in one.text or "rpmfusion" in one.text for one in facts.snapshot.observations):
        command, says = row["akmod"], "Install RPM Fusion's driver, and build its module for this kernel, then reboot."
    elif "before_turing" in row and _before_turing(facts, specs):
        command = row["before_turing"]
        says += (
            " This GPU needs the proprietary kernel modules, up to branch 580; the open ones are for Turing and newer."
        )
    command = _behind_repository(row, command, facts)
    if floor is not None and (beyond := _from_repository(row, floor, facts, specs)) is not None:
        command, says = beyond
    if where and says[1:2].islower():
        says = f"{says[0].lower()}{says[1:]}"
    return Remedy(text=f"{wanted}{where}{says}", command=command, action="admin")


def _behind_repository(row: "Mapping[str, Any]", command: str | None, facts: Facts) -> str | None:
    """Return a dnf command, preceded by the one that adds NVIDIA's repository if the text shows no repository."""
    if command is None or "repository_file" not in row or facts.stated(_REPOSITORY):
        return command
    release = _RELEASE.search(facts.host.distribution or "")
    if release is None or int(release[1]) < row["repository_first"]:
        return command
    where = url_word(row["repository_file"].format(release=release[1]))
    return chained(command_line("sudo dnf config-manager --add-repo", where), command)


def has_own_way(facts: Facts, specs: Specs) -> bool:
    """Return whether this machine needs a special driver install: an appliance, or a guest with part of a GPU."""
    row = _row(facts, specs)
    return row is not None and "distribution" not in row


def _row(facts: Facts, specs: Specs) -> "Mapping[str, Any] | None":
    return next((row for row in specs.table("nvidia/driver_installs")["rows"] if _applies(row, facts)), None)


def _from_repository(row: "Mapping[str, Any]", floor: str, facts: Facts, specs: Specs) -> tuple[str | None, str] | None:
    """Return how to install a driver newer than the distribution's from NVIDIA's repository; None if not needed."""
    release = _RELEASE.search(facts.host.distribution or "")
    packaged = row.get("packaged", {}).get(release[1]) if release else None
    if release is None or packaged is None or not older(packaged, floor):
        return None
    if int(release[1]) < row.get("repository_first", 0):
        return None, (
            f"This release of the distribution has driver {packaged}, and NVIDIA's repository of current drivers starts"
            f" with release {row['repository_first']}: upgrade the system first, or use NVIDIA's installer from "
            "nvidia.com/drivers."
        )
    keyring = command_line("wget", url_word(row["repository"].format(release=release[1])))
    driver = "cuda-drivers-580" if _before_turing(facts, specs) else "nvidia-open"
    command = chained(
        keyring,
        "sudo dpkg -i cuda-keyring_1.1-1_all.deb",
        "sudo apt update",
        command_line("sudo apt install", driver),
        "sudo reboot",
    )
    says = "The distribution's own driver is older: add NVIDIA's repository and install its driver, then reboot."
    return command, says


def _before_turing(facts: Facts, specs: Specs) -> bool:
    """Return whether a GPU here is too old for the open kernel modules; an unknown GPU counts as newer."""
    numbers = (capability_of(capability) for capability in capabilities(facts, specs) or ())
    return any(number is not None and number < (7, 5) for number in numbers)


def _of_jetson(facts: Facts, specs: Specs, wanted: str) -> Remedy:
    """Return the remedy for a Jetson, whose driver comes with JetPack, up to the last release for the module."""
    module = next((name for name in _MODULES if facts.mentions(name, f"jetson{name}")), None)
    known = support_of(specs, "jetpack", f"jetson-{module}") if module is not None else None
    build = "build the program on the board, with the CUDA that its JetPack includes"
    if known is not None and known.last is not None:
        text = f"A Jetson's driver comes with JetPack, and JetPack {known.last} is the last for {known.title}: {build}."
    else:
        text = f"A Jetson's driver comes with JetPack: update JetPack to the release that has that CUDA, or {build}."
    look = "dpkg -l nvidia-l4t-core nvidia-jetpack; ls -d /usr/local/cuda*"
    return Remedy(text=f"{wanted}{text}", command=look, action="admin")


def _applies(row: "Mapping[str, Any]", facts: Facts) -> bool:
    if "appliance" in row:
        return bool(row["appliance"] == appliance(facts))
    if "known_by" in row:
        return holds(row["known_by"], facts)
    distribution: str = row["distribution"]
    if distribution == "WSL":
        return facts.on_wsl
    if distribution == "Windows":
        return facts.host.system == "windows"
    told = (facts.host.distribution or "").lower()
    return any(name in told for name in distribution.lower().split("|"))


def appliance(facts: Facts) -> str | None:
    """Return the appliance that a text mentions: "TrueNAS"; None if none."""
    return next((fact.value("appliance") for fact in facts.stated(around.APPLIANCE)), None)
