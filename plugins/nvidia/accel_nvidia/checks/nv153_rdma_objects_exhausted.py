from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted


@check(
    code="NV153",
    name="rdma-objects-exhausted",
    layer="access",
    family="nccl-problem",
    reads=("rdma-objects-exhausted", "memlock-named"),
    needs=("run.program",),
    requires=("memlock-too-low",),
)
def rdma_objects_exhausted(facts: Facts, specs: Specs) -> Problems:
    """The network card has no further context or queue pair: many ranks on one node use them up.

    Why it matters   "Cannot allocate memory" then refers neither to host memory nor to the locked-memory limit, and
                     raising them does not help.
    What to do       Use fewer ranks per node, or transports that share queue pairs; a larger BAR of the card.
    Looks at         mlx5 driver messages ("limits exceeded"), and calls that create an object or open the card
    Silent when      a program names the locked-memory limit
    Source           NVIDIA OFED: mlxconfig, LOG_MAX_QP and the UAR BAR size; UCX: transports rc, dc
    """
    found = facts.stated("rdma-objects-exhausted")
    if not found or facts.stated("memlock-named"):
        return
    sure = any("limits exceeded" in fact.text.lower() for fact in found)
    yield Problem(
        title="The network card has no room for another context or queue pair: its own limits are used up"
        if sure
        else "The network card rejects another context or queue pair: most likely its own limits are used up",
        evidence=quoted(found[:3]),
        severity=None if sure else "warning",
        remedies=(
            Remedy(
                text="Start fewer ranks on a node, or let UCX use transports that need fewer queue pairs.",
                command="export UCX_TLS=dc_x,self,sm",
                action="env",
            ),
            Remedy(
                text="Check what the card's driver reports, and that the limit of locked memory is not the cause.",
                command="sudo dmesg -T | grep mlx5 | tail -20; ulimit -l",
                action="env",
                kind="look",
            ),
            Remedy(
                text="Give the card a larger window for contexts, and restart the machine.",
                command="sudo mlxconfig -d DEVICE query | grep -iE 'UAR|BAR_SIZE|MAX_QP'",
                action="admin",
            ),
        ),
    )
