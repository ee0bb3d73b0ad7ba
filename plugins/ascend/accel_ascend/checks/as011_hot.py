from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Specs, applies, check, quoted
from accel.vendors.toolkit.table_steps import fixes
from accel_ascend.concern import chips

_MARGIN_CELSIUS = 5


@check(
    code="AS011",
    name="npu-hot",
    layer="hardware",
    severity="warning",
    reads=("npu-too-hot",),
    needs=("ascend.devices.temperature_celsius",),
)
def npu_hot(facts: Facts, specs: Specs) -> Problems:
    """A chip is within 5 °C of its slowdown temperature, or reports that it is too hot.

    Why it matters   Clocks drop at the threshold; a job loses speed without any error.
    What to do       Check the airflow and the fans; compare with the neighbouring chips.
    Looks at         temperature_celsius; slowdown_celsius of the spec; log messages about a chip's temperature
    Silent when      the spec has no threshold for the chip, as for most Ascend chips
    Source           the spec's own source
    """
    told = facts.stated("npu-too-hot")
    if told:
        yield Problem(title="A chip is too hot", evidence=quoted(told), remedies=fixes(specs, "ascend", "cool"))
        return
    limits = {
        chip.id: spec.slowdown_celsius
        for chip in chips(facts)
        if chip.name and (spec := specs.chip(name=chip.name, vendor="ascend")) and spec.slowdown_celsius is not None
    }
    applies(bool(limits), "no temperature threshold is known for these chips")
    for chip in chips(facts):
        limit, now = limits.get(chip.id), chip.temperature_celsius
        if limit is not None and now is not None and now >= limit - _MARGIN_CELSIUS:
            yield Problem(
                title=f"{chip.id} is at {now:.0f} °C; it throttles at {limit:.0f} °C",
                devices=(chip.id,),
                evidence=(Evidence(fact="temperature_celsius", value=f"{now:.0f}", source="npu-smi"),),
                remedies=fixes(specs, "ascend", "cool"),
            )
