from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from accel.model.observation import whole_number
from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, applies, check, quoted
from accel.vendors.contract.command import chained, command_line, variable_word
from accel_amd import signs

_VARIABLES: Final = ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "CUDA_VISIBLE_DEVICES")
_HIDES_ALL: Final = ("", "-1", "none", "void")


@check(
    code="AM006",
    name="amd-devices-hidden",
    layer="access",
    family="devices-hidden",
    reads=(*signs.NO_GPU, *signs.AMD_NAMED),
    needs=("amd.devices", "environment.variables"),
)
def amd_devices_hidden(facts: Facts, specs: Specs) -> Problems:
    """A ROCm or HIP visibility variable names no existing device, so programs see none.

    Why it matters   ROCR_VISIBLE_DEVICES applies first; HIP_VISIBLE_DEVICES (or, if unset, CUDA_VISIBLE_DEVICES) counts
                     within what is left, so two variables together easily leave nothing.
    What to do       Unset the variables, or keep one.
    Looks at         the variables; the AMD GPUs listed; what programs report about GPUs
    Silent when      the first entry exists, nothing fails, or no ROCm build or AMD GPU is mentioned
    Source           ROCm: GPU isolation techniques
    """
    applies(signs.amd_seen(facts) or signs.is_rocm(signs.torch(facts)), "no AMD GPU and no ROCm build is mentioned")
    applies(facts.live or facts.variables_known, "the variables are not shown")
    torch = signs.torch(facts)
    fails = bool(facts.stated(*signs.NO_GPU)) or (torch is not None and torch.available is False)
    masks = [(name, value.strip()) for name in _VARIABLES if (value := facts.variable(name)) is not None]
    left = len(facts.of("amd")) or None
    contradict = _contradict([value for _, value in sorted(masks, key=lambda mask: _VARIABLES.index(mask[0]))])
    for name, value in sorted(masks, key=lambda mask: _VARIABLES.index(mask[0])):
        entries = [entry.strip() for entry in value.split(",")]
        hides = entries[0].lower() in _HIDES_ALL and fails
        outside = left is not None and (number := whole_number(entries[0])) is not None and number >= left
        lonely = entries[0].isdecimal() and entries[0] != "0" and left is None and fails and not contradict
        if hides or outside or lonely:
            yield Problem(
                title=f"{name}={value} leaves no AMD GPU visible",
                evidence=(Evidence(fact=name, value=value), *quoted(facts.stated(*signs.NO_GPU), most=2)),
                remedies=(
                    Remedy(
                        text="Take the line that sets it out of the script or unit that starts the program, or set it "
                        "there to GPUs that are listed, counted from 0; to unset it in the shell helps only programs "
                        "that are started from it."
                        + f" With a single GPU that is {name}=0."
                        * (left == 1 or entries == ["1"]),
                        command=chained(command_line("unset", variable_word(name)), "rocminfo", by=";"),
                        action="env",
                    ),
                ),
            )
            return
        left = len(entries) if left is not None else None


def _contradict(values: Sequence[str]) -> bool:
    """Return whether an inner mask starts with an index that the outer one excludes, which alone explains it."""
    pairs = pairwise(values)
    return any(
        (n := whole_number(inner.split(",")[0].strip())) is not None and n >= outer.count(",") + 1
        for outer, inner in pairs
    )
