from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel_ascend.concern import chips

_TOO_OLD = frozenset({"ascend910", "ascend310", "ascend310b"})


@check(
    code="AS020",
    name="npu-chip-not-supported",
    layer="framework",
    reads=("cann-chip-unsupported", "vllm-device-type", "vllm-server", "ascend-named"),
    needs=("ascend.devices.architecture", "package.vllm-ascend"),
)
def npu_chip_not_supported(facts: Facts, specs: Specs) -> Problems:
    """The program in use does not support this generation of chips.

    Why it matters   vllm-ascend supports Atlas A2, A3, 310P and later; on the first 910 and on 310 it fails obscurely.
    What to do       Use MindIE or another engine that supports the chip, or a machine with newer chips.
    Looks at         a program's messages about the chip; the family of every chip if vLLM is installed or running,
                     which means vllm-ascend here
    Silent when      a chip of a supported family is present; no chip's family is known; vLLM is not mentioned
    Source           vllm-ascend supported hardware, device/hardware.py; github.com/vllm-project/vllm-ascend/issues/1047
    """
    told = facts.stated("cann-chip-unsupported")
    in_use = bool(facts.packages("vllm-ascend", "vllm") or facts.stated("vllm-device-type", "vllm-server"))
    families = {chip.architecture for chip in chips(facts) if chip.architecture}
    too_old = bool(families) and families <= _TOO_OLD
    if not told and not (in_use and too_old):
        return
    soc = next((value for fact in told if (value := fact.value("soc"))), None)
    name = _chip_of(specs, soc) or (f"chip {soc}" if soc and not soc.isdecimal() else None)
    names = tuple(dict.fromkeys(str(chip.name) for chip in chips(facts) if chip.name))
    program = next((value for fact in told if (value := fact.value("program"))), None)
    own = program is None and (in_use or any("soc_version" in fact.text.lower() for fact in told))
    yield Problem(
        title=f"{program or ('vllm-ascend' if own else 'The program')} does not support {name or 'these chips'}",
        detail="It runs on Atlas A2 (910B1 to B4), A3 and 310P; not on the first 910 (910, 910A, 910B without a digit, "
        "910ProB), 310 or 310B."
        if own
        else None,
        devices=tuple(chip.id for chip in chips(facts)) if too_old or not families else (),
        evidence=(*quoted(told), *(Evidence(fact="name", value=one) for one in names)),
        remedies=(
            Remedy(
                text="Use an engine that supports the chip (MindIE), or an Atlas A2, A3 or 310P machine."
                if own or (too_old and program is None)
                else f"Use a release of {program or 'the program'} that supports this chip, or a different machine.",
                action="app",
            ),
        ),
    )


def _chip_of(specs: Specs, soc: str | None) -> str | None:
    """Return the chip for a number in CANN's list: "104" is the first generation's Ascend910B."""
    if soc is None or not soc.isdecimal():
        return None
    rows = (specs.table("ascend/chip_facts") or {}).get("soc_enum", {}).get("rows", ())
    found = next((row["name"] for row in rows if str(row["id"]) == soc), None)
    return f"{found} (soc_version {soc})" if found else f"soc_version {soc}"
