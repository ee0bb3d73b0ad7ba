"""libtpu on a Google VM that has no TPU."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_OF_A_TPU = (
    "tpu-type",
    "tpu-runtime",
    "tpu-node-busy",
    "tpu-in-use",
    "tpu-topology-unknown",
    "tpu-seen-without-libtpu",
)
_AUTOMATIC = Remedy(
    text="Let JAX choose, in the program before it imports jax and in the variable: take 'tpu' out of jax_platforms, "
    "jax.devices('tpu') and JAX_PLATFORMS.",
    command="python -c \"import os; os.environ['JAX_PLATFORMS'] = ''; import jax; print(jax.devices())\"",
    action="app",
)


@check(
    code="TP015",
    name="libtpu-without-tpu",
    layer="framework",
    severity="warning",
    family="tpu-metadata-unreachable",
    reads=("tpu-metadata-absent", "tpu-asked-on-windows", "tpu-backend-raised", *_OF_A_TPU),
    needs=("use.jax|torch-xla",),
    requires=("tpu-metadata-unreachable",),
)
def libtpu_without_tpu(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """libtpu is installed on a VM of Google's cloud that has no TPU, and asks the metadata server for one.

    Why it matters   Every start of JAX or torch_xla asks again, logs errors, and may wait.
    What to do       Uninstall libtpu there, or say which platform to use.
    Looks at         status 404 of the metadata server for the attributes of a TPU; a TPU that was asked for on Windows
    Silent when      something shows a TPU: on Kubernetes its nodes lack these attributes; the server is not reached
    Source           pytorch/xla issue 4847; jax pull 29069
    """
    windows = facts.stated("tpu-asked-on-windows")
    if windows and facts.stated("tpu-backend-raised"):
        yield Problem(
            title="JAX was asked for a TPU on Windows, where it cannot load one's library",
            evidence=quoted(windows),
            remedies=(_AUTOMATIC,),
        )
        return
    absent = facts.stated("tpu-metadata-absent")
    if not absent or facts.of("tpu") or facts.stated(*_OF_A_TPU) or facts.variable("TPU_WORKER_ID") is not None:
        return
    nightly = facts.packages("libtpu-nightly") and not facts.packages("libtpu")
    yield Problem(
        title="libtpu is installed on a machine without a TPU",
        detail="The metadata server answers, and knows of no TPU.",
        evidence=quoted(absent),
        remedies=(
            Remedy(
                text="Remove libtpu.",
                command="pip uninstall -y libtpu-nightly" if nightly else "pip uninstall -y libtpu",
                action="env",
            ),
            Remedy(
                text="Or name the platform to use, so that libtpu is not asked.",
                command="export JAX_PLATFORMS=cpu PJRT_DEVICE=CPU",
                action="env",
            ),
        ),
    )
