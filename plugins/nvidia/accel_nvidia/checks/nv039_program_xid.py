from accel.model.dataclass import replace
from accel.vendors.contract.check import Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fix, fixes, step_of
from accel_nvidia import driver_that_works, xid


@check(
    code="NV039",
    name="program-xid",
    layer="application",
    severity="warning",
    reads=("xid-program", "xid-note", "desktop-program-named", driver_that_works.FACT),
    needs=("nvidia.devices", "source.kernel log"),
    explained_by=("gpu-suspected-defective", "gpu-lost-after-suspend", "gpu-lost"),
)
def program_xid(facts: Facts, specs: Specs) -> Problems:
    """The kernel log holds an Xid code that a program causes, such as 13, 31 or 109: the GPU is healthy.

    Why it matters   These lines are often mistaken for a failing GPU, and boards are replaced for nothing.
    What to do       Run the program under compute-sanitizer; restart processes that hang; try another GPU.
    Looks at         Xid lines, and NVIDIA's catalogue of Xid codes
    Silent when      the code points to the hardware (see gpu-xid), follows from such a code on the same GPU, or is not
                     in the catalogue. Codes that need no action (43, 45, 154 without an action) are information
    Source           NVIDIA: Xid errors, analysing the Xid catalogue
    """
    found = facts.stated("xid-program")
    catalogue = xid.catalogue(specs)
    if found:
        named = xid.codes(found)
        yield Problem(
            title=f"{xid.named(named)}: {catalogue[named[0]]['meaning']}",
            devices=xid.gpus_at(facts, found),
            evidence=quoted(found),
            remedies=(
                *driver_that_works.go_back(facts),
                *_remedies(facts, specs, found, catalogue[named[0]]["action"]),
            ),
        )
        return
    notes = facts.stated("xid-note")
    rows = [(code, row) for code in xid.codes(notes) if (row := catalogue.get(code))]
    if rows:
        yield Problem(
            title=f"{xid.named(code for code, _ in rows)}: {rows[0][1]['meaning']}",
            severity="info",
            evidence=quoted(notes, most=2),
            remedies=(replace(step_of(rows[0][1]), action="admin"),),
        )


def _remedies(facts: Facts, specs: Specs, found: tuple[Fact, ...], action: str) -> tuple[Remedy, ...]:
    codes = {fact.value("code") for fact in found}
    unknown_client = {f.value("pci") for f in found if "UNRECOGNIZED_CLIENT" in (f.value("unit") or "")}
    if len(unknown_client) > 1:
        first = fix(specs, "nvidia", "corrupted-client-state")
        return (first, Remedy(text="Then update the program, and the driver if it recurs.", action="app"))
    if codes == {"109"}:
        again = len(found) > 1
        restart = Remedy(text="Restart the program; update the driver if it recurs.", action="app")
        when = "It happened several times: stop the program and" if again else "If the GPU stays slow or blocked,"
        reset = Remedy(text=f"{when} reset the GPU.", command=xid.reset_command(found), action="reset")
        return (reset, restart) if again else (restart, reset)
    if facts.stated("desktop-program-named"):
        return fixes(specs, "nvidia", "drawing-program")
    sanitizer = bool(codes & {"13", "31", "43"})
    return (
        Remedy(text=action, command="compute-sanitizer PROGRAM" if sanitizer else None, action="app"),
        Remedy(text="Stop what is left of the program before its next start: its CUDA context is dead.", action="app"),
    )
