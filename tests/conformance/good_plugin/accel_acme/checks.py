"""What goes wrong with Acme's accelerators."""

from accel.model.diagnosis import Evidence, Remedy
from accel.vendors.contract.check import Problem, check, need


@check(
    code="ZX001",
    name="acme-hot",
    layer="hardware",
    severity="warning",
    needs=("acme.devices.temperature_celsius",),
)
def acme_hot(facts, specs):
    """A device is at 90 °C or above.

    Why it matters   It slows itself down.
    What to do       Check the airflow of its slot.
    Looks at         temperature_celsius
    Silent when      it is not known: the check is then undecided
    Source           Acme X1 data sheet, section 4
    """
    for device in facts.of("acme"):
        heat = need(device.temperature_celsius, "temperature_celsius")
        if heat >= 90:
            yield Problem(
                title=f"{device.id} is at {heat:g} °C",
                devices=(device.id,),
                evidence=(Evidence(fact="temperature_celsius", value=f"{heat:g}"),),
                remedies=(Remedy(text="Check the airflow of its slot"),),
            )


@check(code="ZX002", name="acme-no-list", layer="driver", reads=("acme-no-list",))
def acme_no_driver(facts, specs):
    """The tool lists no device though there is one.

    Why it matters   No program can use it.
    What to do       Load the driver.
    Looks at         what acme-smi answered
    Silent when      it lists devices
    Source           Acme X1 driver manual, section 2
    """
    told = facts.first("acme-no-list")
    if told is not None:
        yield Problem(
            title="acme-smi lists no device",
            evidence=(Evidence(fact="acme-smi", value=told.text),),
            remedies=(Remedy(text="Load the driver", command="sudo modprobe acme", action="admin"),),
        )
