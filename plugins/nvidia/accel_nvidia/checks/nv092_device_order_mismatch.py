from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Specs, check, need, quoted
from accel.vendors.toolkit.table_steps import fixes


@check(
    code="NV092",
    name="device-order-mismatch",
    layer="access",
    severity="warning",
    reads=(
        *("device-order-doubted", "device-order-differs", "device-choice-spoken-of"),
        *("bus-order-set", "nvidia-gpu-named"),
    ),
    needs=(),
    requires=("devices-hidden",),
)
def device_order_mismatch(facts: Facts, specs: Specs) -> Problems:
    """CUDA and nvidia-smi number the GPUs differently, and CUDA_DEVICE_ORDER is not set.

    Why it matters   CUDA puts the fastest GPU first, nvidia-smi the lowest bus address. The load runs on another card.
    What to do       Set CUDA_DEVICE_ORDER=PCI_BUS_ID before the program starts.
    Looks at         a report of the wrong order; GPU lists of nvidia-smi and of a program with the same models under
                     different numbers; the GPU models; CUDA_DEVICE_ORDER
    Silent when      no such report, all GPUs are the same model, or the order is set
    Source           CUDA programming guide: environment variables
    """
    differs = facts.stated("device-order-differs")
    doubted = facts.stated("device-order-doubted") or differs
    if not doubted or facts.variable("CUDA_DEVICE_ORDER") == "PCI_BUS_ID" or facts.first("bus-order-set"):
        return
    names = list(dict.fromkeys(d.name for d in facts.of("nvidia") if d.name))
    if len(names) < 2:
        names = list(dict.fromkeys(f.value("name") or "" for f in facts.stated("nvidia-gpu-named")))
    if len(names) < 2:
        if len(facts.of("nvidia")) < 2:
            need(None, "the GPUs of the machine (nvidia-smi -L)")
        return
    yield Problem(
        title=f"CUDA's GPU {differs[0].value('index')} is the {differs[0].value('cuda')}, nvidia-smi's the "
        f"{differs[0].value('smi')}: they number the GPUs differently"
        if differs
        else "CUDA numbers the GPUs differently from nvidia-smi, because they are of several models",
        severity="info" if doubted is differs and not facts.stated("device-choice-spoken-of") else None,
        evidence=(*quoted(doubted, most=2), Evidence(fact="models", value=", ".join(names[:4]))),
        remedies=fixes(specs, "nvidia", "count-by-pci-slot"),
    )
