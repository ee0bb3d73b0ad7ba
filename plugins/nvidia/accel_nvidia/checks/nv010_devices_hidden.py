from collections.abc import Iterator
from typing import Final

from accel.model.observation import whole_number
from accel.text.pattern import pattern
from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, applies, check, quoted
from accel.vendors.toolkit.table_steps import fixes
from accel_nvidia import around

_VARIABLE: Final = "CUDA_VISIBLE_DEVICES"
_TAKEN: Final = pattern(r"\$\{?(?P<name>[A-Za-z_]\w{1,40})\}?", exact_case=True)  # the value of another variable
_HIDES_ALL: Final = ("", "-1", "none", "void", "nodevfiles", "no_gpu", "all", "$0")


@check(
    code="NV010",
    name="devices-hidden",
    layer="access",
    reads=(
        *("mask-hides-all", "mask-set", "mask-in-command", "invalid-device-ordinal", "slurm-job-with-gpu"),
        *("slurm-index-kept", "device-nodes-absent", *around.NO_GPU),
    ),
    needs=("environment.variables",),
    requires=("slurm-gres-missing", "mig-mask-by-index"),
    explains=("container-without-gpu",),
)
def devices_hidden(facts: Facts, specs: Specs) -> Problems:
    """CUDA_VISIBLE_DEVICES names no existing device, so programs see none.

    Why it matters   CUDA reads the list in order and stops at the first entry that it does not find; a typo there looks
                     like a machine without GPUs.
    What to do       Unset the variable, or name devices that nvidia-smi -L lists.
    Looks at         the variable; the listed devices; what programs report about GPUs
    Silent when      the first entry names a listed device, or nothing fails and no device list contradicts the variable
    Source           CUDA programming guide: environment variables
    """
    said = facts.stated("mask-hides-all")
    if said:
        yield Problem(title=f"{_VARIABLE} hides every GPU", evidence=quoted(said), remedies=_remedies(facts, specs))
        return
    values = dict(_values(facts))
    applies(bool(values), f"{_VARIABLE} is not set")
    fails = around.sees_no_gpu(facts)
    for value, place in values.items():
        why = _why(value, facts, fails)
        if why is None:
            continue
        yield Problem(
            title=f"{_VARIABLE}={value} {why}",
            evidence=(
                Evidence(fact=_VARIABLE, value=value, line=place),
                *quoted((*around.no_gpu(facts), *facts.stated("invalid-device-ordinal")), most=2),
            ),
            remedies=(*_of_program(value, why, specs), *_remedies(facts, specs)),
        )
        return


def _of_program(value: str, why: str, specs: Specs) -> tuple[Remedy, ...]:
    """Return what the program has to do when the variable hides nothing that it needs."""
    if _TAKEN.fullmatch(value):
        return fixes(specs, "nvidia", "number-in-command")
    if not why.startswith("shows only"):
        return ()
    return fixes(
        specs, "nvidia", "one-process-per-instance" if value.upper().startswith("MIG-") else "mask-as-long-as-asked"
    )


def _why(value: str, facts: Facts, fails: bool) -> str | None:
    listed = around.listed(facts)
    ordinal = facts.first("invalid-device-ordinal") is not None
    first = value.split(",")[0].strip()
    if first.lower() in _HIDES_ALL:
        return "hides every GPU" if fails else None
    if fails and (taken := _TAKEN.fullmatch(value)) is not None and facts.variable(taken["name"]) is None:
        return f"hides every GPU where {taken['name']} is not set, and nothing in this text sets it"
    if not _is_entry(first):
        return None
    if _names_nothing(first, facts):
        # a pasted list may be incomplete, so it is no contradiction by itself
        failing = fails or ordinal or facts.live
        gpu = f"GPU {first}" if first.isdecimal() else first
        numbered = f"the {len(listed)} GPUs are numbered from 0" if len(listed) > 1 else "the only GPU has number 0"
        return f"names {gpu}, but {numbered}" if failing else None
    if fails and not listed and first.isdecimal() and first != "0":
        if facts.first("slurm-job-with-gpu") is not None:
            return f"names GPU {first}, which does not exist: a job counts its GPUs from 0"
        return f"names GPU {first}, which does not exist: a machine's only GPU is 0"
    if ordinal:
        return f"shows only {value}; programs count these from 0, and this one asked for more"
    return None


def _remedies(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    slurm = facts.first("slurm-job-with-gpu", "slurm-index-kept") is not None
    return (
        fixes(specs, "nvidia", "slurm-constrain-devices", "unset-mask")
        if slurm
        else fixes(specs, "nvidia", "unset-mask")
    )


def _values(facts: Facts) -> Iterator[tuple[str, int | None]]:
    known = facts.variable(_VARIABLE)
    if known is not None:
        yield known.strip().strip("'\""), None
    for fact in facts.stated("mask-in-command", "mask-set"):
        value = fact.value("value")
        if value is not None and (value or fact.name == "mask-in-command"):
            yield value.strip().strip(","), fact.line


def _is_entry(entry: str) -> bool:
    """Return whether this can be an entry, and not a placeholder such as <ids> or a shell variable."""
    return entry.isdecimal() or entry.upper().startswith(("GPU-", "MIG-"))


def _names_nothing(entry: str, facts: Facts) -> bool:
    listed = around.listed(facts)
    if not listed:
        return False
    if (number := whole_number(entry)) is not None:
        return number > max(device.index for device in listed) and number >= len(listed) and _all_listed(facts)
    uuids = [d.uuid for d in (*listed, *facts.parts("nvidia"))]
    return entry.upper().startswith("GPU-") and all(u is not None and not u.startswith(entry) for u in uuids)


def _all_listed(facts: Facts) -> bool:
    """Return whether the device list can be complete: no failing device is omitted, and the indices have no gaps."""
    indices = sorted(device.index for device in around.listed(facts))
    return indices == list(range(len(indices)))
