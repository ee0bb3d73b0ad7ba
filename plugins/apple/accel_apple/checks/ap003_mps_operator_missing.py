from typing import Final

from accel.specs.versions import numbers
from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel_apple.wheels import torch_for_mac, torch_of

_WIDE: Final = ("float64", "complex128", "double")
_COMPLEX: Final = ("complexfloat", "complex64", "complexhalf", "complexdouble")
_BRAIN: Final = ("bfloat16", "bf16", "torch.bfloat16")
_FIRST_WITH_BRAIN: Final = (2, 4)
_FIRST_WITH_MOST: Final = (2, 1)  # the operators that most models need


@check(
    code="AP003",
    name="mps-operator-missing",
    layer="framework",
    reads=("mac-of-intel", "mps-operator-missing"),
    needs=("run.program",),
)
def mps_operator_missing(facts: Facts, specs: Specs) -> Problems:
    """An operator of the model is not implemented for MPS in this PyTorch.

    Why it matters   The program stops there; later torch releases support more operators.
    What to do       Run it on the CPU with PYTORCH_ENABLE_MPS_FALLBACK=1, set before torch is imported, or use a newer
                     torch. For a type (float64): use another one.
    Looks at         operators and types that PyTorch or jax-metal reports as missing for MPS
    Silent when      there is no such message, or only the warning that the CPU is used
    Source           pytorch/pytorch issue 77764 and 141287
    """
    said = facts.stated("mps-operator-missing")
    if not said:
        return
    types = [o for fact in said if _is_type(o := (fact.value("operator") or "").lower())]
    told = [(fact.value("operator") or "an operator").strip(".") for fact in said[:4]]
    version = torch_of(facts)
    old = version is not None and numbers(version) < _FIRST_WITH_MOST
    newer = torch_for_mac(facts, specs, text="Use a newer torch")
    names = ", ".join(dict.fromkeys(name for name in told if name not in ("is", "are")))
    if torch_of(facts) is not None and names.startswith("torchvision::") and facts.package("torchvision") is not None:
        yield Problem(
            title=f"The installed torchvision has no MPS kernel for {names}: it is not the one of this torch",
            devices=tuple(device.id for device in facts.of("apple")),
            evidence=quoted(said),
            remedies=(
                torch_for_mac(facts, specs, text="Install the torchvision that goes with this torch", again=True),
            ),
        )
        return
    system, fft = facts.first("macos-version"), any("_fft_" in name or "stft" in name for name in told)
    if fft and system is not None and numbers(system.value("version") or "99")[:1] < (14,):
        yield Problem(
            title=f"MPS computes {names} from macOS 14 and torch 2.3 on; this is macOS {system.value('version')}",
            devices=tuple(device.id for device in facts.of("apple")),
            evidence=quoted((*said, system)),
            remedies=(
                Remedy(
                    text="Update macOS to 14 or newer (System Settings, General, Software Update) and take torch 2.3 "
                    "or newer there. Until then let the CPU run this operator: set PYTORCH_ENABLE_MPS_FALLBACK=1 "
                    "before torch is imported.",
                    command="export PYTORCH_ENABLE_MPS_FALLBACK=1",
                    action="env",
                ),
            ),
        )
        return
    yield Problem(
        title=f"MPS does not support the type {names}" if types else f"This PyTorch has no MPS kernel for {names}",
        devices=tuple(device.id for device in facts.of("apple")),
        evidence=quoted(said),
        remedies=_for_type(facts, specs, types[0])
        if types
        else (
            *((newer,) if old else ()),
            Remedy(
                text="Let the CPU run what MPS cannot: set this before torch is imported, in the shell that "
                "starts the program.",
                command="export PYTORCH_ENABLE_MPS_FALLBACK=1",
                action="env",
            ),
            *(() if old else (newer,)),
        ),
    )


def _is_type(name: str) -> bool:
    return name in (*_WIDE, *_BRAIN, *_COMPLEX) or name.startswith(("float8", "torch.float8", "float4"))


def _for_type(facts: Facts, specs: Specs, name: str) -> tuple[Remedy, ...]:
    if name in _COMPLEX[:2]:
        newer = torch_for_mac(facts, specs, text="Use a newer torch on macOS 14 or newer: it supports complex numbers")
        return (newer, _in_another_type(name))
    version = torch_of(facts)
    if name in _BRAIN and facts.stated("mac-of-intel"):
        return (_in_another_type(name, " torch 2.2.2 is the last release for Macs with an Intel processor."),)
    if name in _BRAIN and version is not None and numbers(version) < _FIRST_WITH_BRAIN:
        return (
            torch_for_mac(facts, specs, text="Use a newer torch: it supports bfloat16 on macOS 14 and newer"),
            _in_another_type(name),
        )
    return (_in_another_type(name),)


def _in_another_type(name: str, more: str = "") -> Remedy:
    text = (
        f"Compute in another type: Metal has no {name}. Convert with .float() before .to('mps'); NumPy arrays "
        "are float64 by default. The CPU fallback does not cover types. If the line is a library's own, update "
        "that library, or report it there."
    )
    if name in _BRAIN:
        text = (
            "Load and compute in float16 or float32 (torch_dtype=torch.float16, or the program's option for it): "
            "bfloat16 needs an Apple chip, macOS 14 and torch 2.3 or newer. The CPU fallback does not cover types."
        )
    if name in _COMPLEX:
        text = (
            "Run this one step on the CPU: x.to('cpu') before it and .to('mps') after it. "
            "PYTORCH_ENABLE_MPS_FALLBACK does not cover types."
        )
    if "float8" in name or "float4" in name:
        text = (
            "Use the model file with 16-bit weights, or a GGUF quantisation, instead of the 8-bit floating-point "
            "one, and set no such type in the program: Metal does not have it."
        )
    return Remedy(text=text + more, action="app")
