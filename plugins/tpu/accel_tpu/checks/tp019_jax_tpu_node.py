"""A present JAX against a TPU node of old."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="TP019",
    name="jax-tpu-node-unsupported",
    layer="framework",
    reads=("jax-tpu-node", "tpu-driver-grpc", "jax-tpu-driver-named"),
    needs=("run.program",),
)
def jax_tpu_node_unsupported(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """JAX is told to use a TPU over the network, as TPU nodes and the older Colab runtimes were used.

    Why it matters   JAX dropped these with 0.4: it runs on the TPU VM itself, or not at all.
    What to do       Take a TPU VM (on Colab or Kaggle: their present TPU runtime) and leave setup_tpu() out.
    Looks at         JAX's refusal; its backend tpu_driver with an address of the form grpc://…:8470
    Silent when      only the backend tpu_driver is missing: JAX looked for it on every machine; TensorFlow and
                     torch_xla use such addresses, too
    Source           jax: jax/tools/colab_tpu.py; jax's changelog for 0.4.0 and 0.4.7
    """
    said = facts.stated("jax-tpu-node")
    if facts.stated("jax-tpu-driver-named"):
        said += facts.stated("tpu-driver-grpc")
    if not said:
        return
    yield Problem(
        title="This JAX only works on TPU VMs, and was pointed at a TPU node",
        evidence=quoted(said),
        remedies=(
            Remedy(
                text="Use a TPU VM runtime (Colab: Runtime, Change runtime type, a v5e-1 or newer TPU), and remove "
                "jax.tools.colab_tpu.setup_tpu() from the program.",
                command="pip install -U 'jax[tpu]'",
                action="admin",
            ),
            Remedy(text="On a TPU node that must stay, only a JAX before 0.4 works.", command=None, action="env"),
        ),
    )
