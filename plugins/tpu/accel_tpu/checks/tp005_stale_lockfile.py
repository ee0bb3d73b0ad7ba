from accel.vendors.contract.check import Facts, Problem, Problems, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fixes


@check(
    code="TP005",
    name="tpu-stale-lockfile",
    layer="access",
    severity="warning",
    reads=(
        *("tpu-lockfile", "tpu-lock-blocked", "tpu-lock-named", "tpu-in-use", "nobody-holds-tpu"),
        *("tpu-holders-none", "tpu-lock-removal-helps", "tpu-backend-raised", "jax-fell-back"),
    ),
    needs=("use.jax|torch-xla",),
)
def stale_lockfile(facts: Facts, specs: Specs) -> Problems:
    """libtpu's lock file exists, but no process holds it, or it belongs to another user.

    Why it matters   libtpu takes the file as a sign of a running program, and reports that the TPU is in use.
    What to do       Make sure that no program uses the TPU, then remove the file; accel never removes it.
    Looks at         /tmp/libtpu_lockfile, who has it open, libtpu's message; lsof, fuser or ps without a holder
    Silent when      the file does not exist, a process holds it, or nobody searched for one
    Source           openxla/xla: xla/stream_executor/tpu/tpu_initialize_util.cc; jax issue 10192
    """
    live = [
        fact
        for fact in facts.stated("tpu-lockfile")
        if fact.value("stale") or (fact.value("ours") == "no" and not fact.value("pid"))
    ]
    blocked = facts.stated("tpu-lock-blocked", "tpu-lock-removal-helps")
    in_use = [fact for fact in facts.stated("tpu-in-use") if not fact.value("pid")]
    nobody = facts.stated("nobody-holds-tpu", "tpu-holders-none")
    left = [*live, *blocked]
    if nobody and (in_use or facts.stated("tpu-lock-named")):
        left += [*in_use[:1], *nobody]
    if not left:
        return
    foreign = any(fact.value("ours") == "no" for fact in live)
    raised = bool(facts.stated("tpu-backend-raised", "jax-fell-back"))
    yield Problem(
        title="The lock file of libtpu belongs to another user" if foreign else "libtpu's lock file is left over",
        evidence=quoted(left),
        remedies=fixes(specs, "tpu", "delete-lock-file"),
        severity="error" if raised else None,
    )
