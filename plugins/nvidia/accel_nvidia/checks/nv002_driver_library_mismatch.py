"""The driver's libraries and its loaded kernel module are of different versions."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Evidence, Problem, Remedy, check
from accel_nvidia import nvml_errors, signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_SAID: Final = (
    "nvml-version-mismatch",
    "driver-library-mismatch-803",
    "kernel-unlike-library",
    "driver-api-mismatch",
)


@check(code="NV002", name="driver-library-mismatch", layer="driver", requires=("wsl-driver-libs",))
def driver_library_mismatch(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The user-space libraries of the driver and the loaded kernel module are of different versions.

    Why it matters   Nothing that uses the GPU starts: the module refuses libraries of another version. It is mostly
                     an update of the packages without a reboot, or a driver installed inside a container.
    What to do       On the host: reboot, or reload the modules. In a container: remove the driver packages from it.
    Looks at         the sentences of NVML, CUDA (error 803), TensorFlow and the kernel module; NVML's answer
    Silent when      the driver answers
    Source           NVML API: NVML_ERROR_LIB_RM_VERSION_MISMATCH; CUDA driver API: error 803
    """
    events = facts.events(*_SAID) + signs.nvml_errors_of(facts, nvml_errors.LIBRARY_MISMATCH)
    if not events:
        return
    kernel = next((v for e in events if (v := e.value("kernel"))), None)
    library = next((v for e in (*events, *facts.events("nvml-library-version")) if (v := e.value("library"))), None)
    driver = facts.driver("nvidia")
    if driver is not None:
        kernel = kernel or driver.version
        library = library or driver.library_version
    versions = tuple(
        Evidence(fact=fact, value=value)
        for fact, value in (("kernel module", kernel), ("library", library))
        if value is not None
    )
    said = f" ({kernel} loaded, {library} installed)" if kernel and library and kernel != library else ""
    yield Problem(
        title=f"The driver's libraries do not fit the loaded kernel module{said}",
        evidence=signs.quoted(events) + versions,
        remedies=_remedies(facts),
    )


def _remedies(facts: "Facts") -> tuple[Remedy, ...]:
    reboot = Remedy(
        text="Reboot the host, so that the installed module is the loaded one.", command="sudo reboot", action="reboot"
    )
    reload = Remedy(
        text="Or, with nothing on the GPUs, reload the modules.",
        command="sudo rmmod nvidia_uvm nvidia_drm nvidia_modeset nvidia && sudo modprobe nvidia_uvm",
        action="admin",
    )
    inside = Remedy(
        text=(
            "In a container: remove the driver packages (libnvidia-*, libcuda) from the image; the "
            "runtime mounts the host's."
        ),
        command="ldconfig -p | grep -E 'libcuda|libnvidia-ml'",
        action="env",
    )
    return (inside, reboot) if signs.in_container(facts) else (reboot, reload)
