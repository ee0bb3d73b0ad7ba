from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, applies, check, need
from accel.vendors.contract.command import command_line, pci_word


@check(
    code="GA003",
    name="gaudi-ecc-error",
    layer="hardware",
    severity="warning",
    family="gpu-hardware-fault",
    needs=("gaudi.devices",),
)
def gaudi_ecc_error(facts: Facts, specs: Specs) -> Problems:
    """Uncorrectable memory errors occurred since the driver was loaded, or rows wait for a reset.

    Why it matters   A job that hit such an error died or computed wrong numbers; a pending row may fail again.
    What to do       Reset the card, which replaces the row; check whether the count rises again.
    Looks at         "Volatile Uncorr. ECC" of hl-smi; "Replaced Rows … Pending" of hl-smi -q
    Silent when      the counts are zero; undecided if no source has them
    Source           docs.habana.ai, hl-smi: ROW_REPLACEMENT and ECC fields
    """
    cards = facts.of("gaudi")
    applies(bool(cards), "no card is known")
    counts = {d: getattr(d, "ecc_uncorrectable_errors", None) for d in cards}
    pending = {d: getattr(d, "rows_pending", None) for d in cards}
    need(next((v for v in (*counts.values(), *pending.values()) if v is not None), None), "ecc_uncorrectable_errors")
    sick = [device for device in cards if counts[device] or pending[device]]
    if not sick:
        return
    evidence = [Evidence(fact="ecc_uncorrectable_errors", value=f"{d.id}: {counts[d]}") for d in sick if counts[d]]
    evidence += [Evidence(fact="rows_pending", value=f"{d.id}: yes") for d in sick if pending[d]]
    yield Problem(
        title=f"{sick[0].id} has uncorrectable memory errors"
        if len(sick) == 1
        else f"{len(sick)} Gaudi cards have uncorrectable memory errors",
        devices=tuple(device.id for device in sick),
        evidence=tuple(evidence),
        remedies=(
            Remedy(
                text="Reset the card when nothing runs on it; pending rows are then replaced.",
                command=command_line("sudo hl-smi -r -i", pci_word(sick[0].pci_address) or "PCI-ADDRESS"),
                action="reset",
            ),
        ),
    )
