from accel.vendors.contract.check import Facts, Problem, Problems, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fixes
from accel_tpu.signs import hosts_here, type_here


@check(
    code="TP008",
    name="tpu-slice-incomplete",
    layer="application",
    reads=(
        "tpu-topology-unknown",
        "tpu-hosts-awaited",
        "jax-start-hangs",
        "tpu-type",
        "tpu-several-hosts",
        "tpu-one-host",
    ),
    needs=("run.program",),
    requires=(
        *("tpu-held-by-other-process", "tpu-container-without-devices", "tpu-process-env-incomplete"),
        *("tpu-libtpu-mismatch",),
    ),
    explained_by=("tpu-device-node-missing", "tpu-metadata-unreachable", "tpu-device-permission"),
)
def slice_incomplete(facts: Facts, specs: Specs) -> Problems:
    """The program was started on some of a slice's hosts, and libtpu waits for the others.

    Why it matters   The program hangs at startup, or fails to get the topology.
    What to do       Start the program on every host of the slice, or set the bounds of one host.
    Looks at         "Failed to get global TPU topology", "Did you run your code on all TPU hosts?"; the number of hosts
                     of the accelerator type, in specs/tpu/accelerator_types.yaml
    Silent when      there is neither message; the type has one host, which waits for none. A warning if it is unknown
    Source           jax: jax/_src/xla_bridge.py; google/gemma_pytorch issue 25; Google Cloud: TPU versions
    """
    said = facts.stated("tpu-topology-unknown", "tpu-hosts-awaited")
    hosts = hosts_here(facts, specs)
    if hosts is not None:  # on other machines it has other causes
        said += facts.stated("jax-start-hangs")
    if not said or hosts == 1:
        return
    here = type_here(facts, specs)
    count = f"{hosts} hosts" if hosts and (hosts > 2 or (here and here.hosts == 2)) else "several hosts"
    name = f"A {here.name}" if here else "The slice"
    title = f"{name} has {count}, but not all of them have started the program"
    if hosts is None:
        title = "libtpu waits for the rest of the slice, if this TPU has more than one host"
    yield Problem(
        title=title,
        evidence=quoted((*said, *facts.stated("tpu-type", "tpu-several-hosts"))),
        remedies=fixes(specs, "tpu", "tpu-slice-incomplete"),
        severity=None if hosts else "warning",
    )
