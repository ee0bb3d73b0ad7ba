from accel.vendors.contract.check import Evidence, Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fix, fixes
from accel_tpu.signs import hosts_here

_BOUNDS = ("TPU_CHIPS_PER_PROCESS_BOUNDS", "TPU_CHIPS_PER_HOST_BOUNDS", "TPU_PROCESS_BOUNDS", "TPU_HOST_BOUNDS")
_PROCESSES = ("TPU_PROCESS_BOUNDS", "TPU_HOST_BOUNDS")
_CHIPS = ("TPU_CHIPS_PER_PROCESS_BOUNDS", "TPU_CHIPS_PER_HOST_BOUNDS")
_VISIBLE = ("TPU_VISIBLE_CHIPS", "TPU_VISIBLE_DEVICES")
_FAILED = ("tpu-process-crashed", "tpu-in-use", "tpu-topology-unknown", "tpu-lock-blocked", "tpu-backend-raised")


@check(
    code="TP014",
    name="tpu-process-env-incomplete",
    layer="application",
    reads=(
        *("tpu-worker-addresses", "tpu-addresses-local", "tpu-multiple-load", "tpu-visible-chips", "tpu-bounds-named"),
        *("tpu-hostnames-wrong", "tpu-program-hangs", "tpu-type"),
        *_FAILED,
    ),
    needs=("run.program",),
)
def process_env_incomplete(facts: Facts, specs: Specs) -> Problems:
    """TPU_* variables describe a wrong number of processes, or are only partly set.

    Why it matters   libtpu waits for missing processes, refuses, or two processes open the same chips.
    What to do       Unset them, or set the whole group: see the table in Google's and PyTorch/XLA's pages.
    Looks at         "Expected n worker addresses, got m"; "unexpected worker hostname"; TPU_PROCESS_ADDRESSES=local;
                     ALLOW_MULTIPLE_LIBTPU_LOAD and TPU_VISIBLE_CHIPS without bounds if a process failed; a single
                     process on a multi-host slice without its chips if a program hangs
    Silent when      nothing failed, or the bounds are also set
    Source           pytorch/xla pull 3628; pytorch-lightning issue 20244; jax issue 13043
    """
    counted = facts.stated("tpu-worker-addresses")
    local = facts.stated("tpu-addresses-local")
    if counted:
        yield _of_addresses(facts, specs, bool(local))
        return
    if names := facts.stated("tpu-hostnames-wrong"):
        yield Problem(
            title="TPU_WORKER_HOSTNAMES does not name the hosts of this slice",
            evidence=quoted(names),
            remedies=fixes(specs, "tpu", "worker-hostnames"),
        )
        return
    bounds = facts.stated("tpu-bounds-named") or any(facts.variable(name) for name in _BOUNDS)
    failed = facts.stated(*_FAILED)
    hung = facts.stated("tpu-program-hangs")
    if (failed or hung) and (part := _in_part(facts, specs)):
        yield _of_part(facts, specs, part, (*hung, *failed))
        return
    several = facts.stated("tpu-multiple-load") or _is_set(facts, "ALLOW_MULTIPLE_LIBTPU_LOAD")
    visible = facts.stated("tpu-visible-chips") or any(facts.variable(name) for name in _VISIBLE)
    if bounds or not (several or visible) or not failed:
        return
    variables = [(name, facts.variable(name)) for name in (*_VISIBLE, "ALLOW_MULTIPLE_LIBTPU_LOAD")]
    evidence = tuple(Evidence(fact=name, value=value) for name, value in variables if value is not None)
    what = "ALLOW_MULTIPLE_LIBTPU_LOAD" if several else "TPU_VISIBLE_CHIPS"
    yield Problem(
        title=f"{what} is set without the bounds that give each process its own chips",
        evidence=evidence + quoted((*facts.stated("tpu-multiple-load", "tpu-visible-chips"), *failed)),
        remedies=(fix(specs, "tpu", "own-chips"),),
    )


def _in_part(facts: Facts, specs: Specs) -> tuple[str, str] | None:
    """Return the variable and value that takes one host out of a multi-host slice, if set without the others."""
    processes = next(((name, v) for name in _PROCESSES if (v := facts.variable(name))), None)
    chips = any(facts.variable(name) for name in (*_CHIPS, *_VISIBLE))
    if processes is None or chips or processes[1].replace(" ", "") != "1,1,1" or (hosts_here(facts, specs) or 1) < 2:
        return None
    return processes


def _of_part(facts: Facts, specs: Specs, part: tuple[str, str], failed: tuple[Fact, ...]) -> Problem:
    return Problem(
        title=f"{part[0]}={part[1]} selects one host out of a slice of several, but its chips are not set",
        evidence=(Evidence(fact=part[0], value=part[1]), *quoted((*facts.stated("tpu-type")[:1], *failed))),
        remedies=fixes(specs, "tpu", "whole-slice-or-one-host"),
    )


def _of_addresses(facts: Facts, specs: Specs, local: bool) -> Problem:
    counted = facts.stated("tpu-worker-addresses")
    known = next((fact for fact in counted if fact.value("wanted") and fact.value("got")), None)
    title = "The TPU_* variables describe a different number of processes than there are"
    if known is not None:
        title = (
            f"The TPU_* variables describe {known.value('got')} process(es), but libtpu expects {known.value('wanted')}"
        )
    unset = Remedy(
        text="Unset TPU_PROCESS_ADDRESSES before several processes are started"
        + (': "local" only works for one process.' if local else ", so that they are detected again."),
        command="unset TPU_PROCESS_ADDRESSES CLOUD_TPU_TASK_ID",
        action="env",
    )
    return Problem(
        title=title,
        evidence=quoted((*counted, *facts.stated("tpu-addresses-local"))),
        remedies=(unset, fix(specs, "tpu", "own-chips")),
    )


def _is_set(facts: Facts, name: str) -> bool:
    return (facts.variable(name) or "").lower() in ("1", "true", "yes")
