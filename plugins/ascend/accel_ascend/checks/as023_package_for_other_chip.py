from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import assignment_word, command_line, name_word
from accel_ascend.chips import family

_BUILDS = {  # family: suffix of vllm-ascend's images, and SOC_VERSION to build with
    "ascend910b": ("no suffix", "ascend910b1"),
    "ascend910_93": ("the suffix -a3", "ascend910_9391"),
    "ascend310p": ("the suffix -310p", "ascend310p1"),
    "ascend950": ("the suffix -950dt", "ascend950dt_9582"),
}
_TYPES = {"A2": "ascend910b", "A3": "ascend910_93", "_310P": "ascend310p", "310P": "ascend310p", "A5": "ascend950"}


@check(
    code="AS023",
    name="npu-package-for-other-chip",
    layer="toolkit",
    reads=("cann-soc-mismatch",),
    needs=("run.program",),
)
def npu_package_for_other_chip(facts: Facts, specs: Specs) -> Problems:
    """Operators or a program were built for another chip.

    Why it matters   Kernels for one chip do not run on another.
    What to do       Use the image, wheel or package of this chip's family; when building, set SOC_VERSION.
    Looks at         messages of CANN and vllm-ascend about SoC versions and device types
    Silent when      there is no such message; all operators are missing, which is another fault
    Source           github.com/vllm-project/vllm-ascend/issues/5599, device/device_config.py; vllm-ascend FAQ 21
    """
    told = facts.stated("cann-soc-mismatch")
    if not told:
        return
    model = any(fact.value("of") == "model" for fact in told)
    built = next((v for fact in told if (v := fact.value("package"))), None)
    here = next((v for fact in told if (v := fact.value("device"))), None)
    suffix, soc = _BUILDS.get(_family(here) or "", (None, None))
    built, here = _short(built), _short(here)
    yield Problem(
        title=f"A {'model' if model else 'package'} built for {built} was started on {here}"
        if built and here
        else f"A {'model' if model else 'package'} was built for a different chip",
        evidence=quoted(told),
        remedies=(
            Remedy(
                text=f"Convert the model again for {here or 'this chip'}: an .om file only runs on the chip that "
                "it was made for.",
                command=command_line(
                    "atc --model=MODEL --output=OUTPUT --soc_version", name_word(here) if here else "CHIP"
                ),
                action="env",
            ),
        )
        if model
        else (
            Remedy(
                text=f"Use the container image or wheel for {here}: vllm-ascend's images for it end in {suffix}."
                if suffix
                else "Use the container image, wheel or package for this chip's family.",
                action="env",
            ),
            Remedy(
                text=f"If you build it yourself, build it for {here or 'this chip'}.",
                command=command_line("export", assignment_word("SOC_VERSION", soc)),
                action="env",
            ),
        ),
    )


def _family(printed: str | None) -> str | None:
    name = (printed or "").rpartition(".")[2]
    return _TYPES.get(name) or family(name)


def _short(printed: str | None) -> str | None:
    return printed.rpartition(".")[2].lstrip("_") if printed else None
