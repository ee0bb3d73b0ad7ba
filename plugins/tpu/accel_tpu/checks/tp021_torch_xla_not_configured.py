"""torch_xla has no device configured."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Evidence, Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="TP021",
    name="torch-xla-device-not-configured",
    layer="application",
    reads=("torch-xla-not-configured",),
    needs=("run.program",),
    requires=("tpu-container-without-devices",),
)
def torch_xla_device_not_configured(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """torch_xla up to 2.0 needs a variable that names its device, and none is set.

    Why it matters   The first use of an XLA device fails.
    What to do       Set PJRT_DEVICE (torch_xla 1.13 and newer), or XRT_TPU_CONFIG before that.
    Looks at         "Missing XLA configuration"
    Silent when      it was not said: torch_xla 2.1 and newer work without a variable; one of the two is set: then the
                     device did not start
    Source           pytorch/xla: xla_client/computation_client.cc and README at the tags 1.13 and 2.0
    """
    said = facts.stated("torch-xla-not-configured")
    if not said or any(facts.variable(name) for name in ("XRT_TPU_CONFIG", "PJRT_DEVICE")):
        return
    package = facts.package("torch-xla")
    version = (Evidence(fact="torch_xla", value=package.version),) if package and package.version else ()
    pjrt = Remedy(text="Name the device to torch_xla's PJRT runtime.", command="export PJRT_DEVICE=TPU", action="env")
    xrt = Remedy(
        text="Before 1.13, name the TPU VM's own service to XRT.",
        command='export XRT_TPU_CONFIG="localservice;0;localhost:51011"',
        action="env",
    )
    old = (
        package is not None
        and package.version is not None
        and package.version.startswith(("1.1.", "1.10", "1.11", "1.12"))
    )
    yield Problem(
        title="torch_xla was not told which device to use",
        evidence=(*quoted(said), *version),
        remedies=(xrt,) if old else (pjrt, xrt),
    )
