from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, applies, check, quoted
from accel.vendors.contract.command import assignment_word, command_line
from accel.vendors.toolkit.table_steps import fix
from accel_tpu.signs import NO_TPU, tpu_seen, type_here


@check(
    code="TP009",
    name="tpu-metadata-unreachable",
    layer="access",
    reads=("tpu-metadata-unreachable", "tpu-metadata-failed", "tpu-metadata-absent", "tpu-word", "tpu-type"),
    needs=("run.program",),
)
def metadata_unreachable(facts: Facts, specs: Specs) -> Problems:
    """libtpu or JAX queries a metadata server that it cannot reach.

    Why it matters   Startup hangs for minutes, in pods and sandboxes that cannot reach the server.
    What to do       Set the variables that replace the query, and skip it.
    Looks at         "Failed to get TPU metadata" and its reason; failed connections to metadata.google.internal
    Silent when      there is no such message; the server answered 404: it is reachable but lacks the attribute
    Source           google/gvisor issue 10795; vllm-project/vllm pull 9599; jax issues 14300 and 40854
    """
    unreachable = facts.stated("tpu-metadata-unreachable")
    failed = () if facts.stated("tpu-metadata-absent") else facts.stated("tpu-metadata-failed")
    applies(bool(failed or facts.stated("tpu-word")) or tpu_seen(facts), NO_TPU)
    if not unreachable and not failed:
        return
    here = type_here(facts, specs)
    kind = assignment_word("TPU_ACCELERATOR_TYPE", here.name if here else "TYPE")
    yield Problem(
        title="The metadata server cannot be reached"
        if unreachable
        else "libtpu gets no answer from the metadata server",
        evidence=quoted((*unreachable, *failed)),
        remedies=(
            Remedy(
                text="Skip the query, and set what it would return: the slice's type and this worker's number.",
                command=command_line("export TPU_SKIP_MDS_QUERY=true", kind, "TPU_WORKER_ID=0"),
                action="env",
            ),
            fix(specs, "tpu", "reach-metadata-server"),
        ),
        severity=None if unreachable else "warning",
    )
