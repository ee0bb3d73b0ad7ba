"""A visibility variable hides the GPUs."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Evidence, Problem, Remedy, applies, check
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_VARIABLE: Final = "CUDA_VISIBLE_DEVICES"
_UNSET: Final = Remedy(
    text="Unset it, or name GPUs that are listed.", command=f"unset {_VARIABLE}; nvidia-smi -L", action="env"
)
_HIDES_ALL: Final = ("", "-1", "none", "void", "nodevfiles", "no_gpu")


@check(code="NV010", name="devices-hidden", layer="access")
def devices_hidden(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """CUDA_VISIBLE_DEVICES names no existing device, so programs are shown none.

    Why it matters   CUDA counts from the variable's list and stops at the first entry that it does not find; a typing
                     error there looks like a machine without GPUs.
    What to do       Unset the variable, or name devices that nvidia-smi -L lists.
    Looks at         the variable; the devices listed; what programs say of GPUs
    Silent when      the first entry names a listed device, or nothing fails and no device list contradicts it
    Source           CUDA programming guide: environment variables
    """
    values = tuple(_values(facts))
    said = facts.events("mask-hides-all")
    if said:
        yield Problem(title=f"{_VARIABLE} hides every GPU", evidence=signs.quoted(said), remedies=(_UNSET,))
        return
    applies(bool(values), f"{_VARIABLE} is not set")
    listed = signs.listed(facts)
    fails = signs.sees_no_gpu(facts)
    ordinal = facts.event("invalid-device-ordinal")
    for value in values:
        entries = [entry.strip() for entry in value.split(",")]
        why = None
        if entries[0].lower() in _HIDES_ALL:
            why = "hides every GPU" if fails else None
        elif not _is_entry(entries[0]):
            continue
        elif _names_nothing(entries[0], facts):
            counted = f"names {entries[0]}, and there are {len(listed)} GPUs, from 0"
            why = counted if fails or ordinal is not None or facts.live else None  # a pasted list may be cut
        elif fails and not listed and entries[0].isdecimal() and entries[0] != "0":
            why = f"names {entries[0]}, which is not there: a machine's only GPU is 0"
        elif ordinal is not None:
            why = f"shows only {value}; programs count these from 0, and this one asked for more"
        if why is None:
            continue
        yield Problem(
            title=f"{_VARIABLE}={value} {why}",
            evidence=(Evidence(fact=_VARIABLE, value=value), *signs.quoted(facts.events(*signs.NO_GPU_EVENTS), most=2)),
            remedies=(_UNSET,),
        )
        return


def _values(facts: "Facts") -> Iterator[str]:
    known = facts.variable(_VARIABLE)
    if known is not None:
        yield known.strip().strip("'\"")
    for event in facts.events("visible-devices-set"):
        value = event.value("value")
        if event.value("variable") == _VARIABLE and value:
            yield value.strip(",")


def _is_entry(entry: str) -> bool:
    """Whether this can be an entry at all, and not a placeholder such as <ids> or a shell's variable."""
    return entry.isdecimal() or entry.upper().startswith(("GPU-", "MIG-"))


def _names_nothing(entry: str, facts: "Facts") -> bool:
    listed = signs.listed(facts)
    if not listed:
        return False
    if entry.isdecimal():
        return int(entry) > max(device.index for device in listed) and int(entry) >= len(listed) and _all_listed(facts)
    uuids = [d.uuid for d in (*listed, *facts.parts("nvidia"))]
    return entry.upper().startswith("GPU-") and all(u is not None and not u.startswith(entry) for u in uuids)


def _all_listed(facts: "Facts") -> bool:
    """Whether the list can be whole: no failing device was left out of it, and indices have no holes."""
    indices = sorted(device.index for device in signs.listed(facts))
    return indices == list(range(len(indices)))
