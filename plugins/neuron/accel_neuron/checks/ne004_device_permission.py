from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, applies, check, need


@check(
    code="NE004",
    name="neuron-device-permission",
    layer="access",
    family="device-permission",
    needs=("neuron.devices",),
)
def neuron_device_permission(facts: Facts, specs: Specs) -> Problems:
    """The nodes /dev/neuronN exist, but this process may not open them.

    Why it matters   The runtime finds no device, and reports that instead of the missing permission.
    What to do       Reinstall the driver's package, whose udev rule opens the nodes to all, or open them manually.
    Looks at         whether this process may open /dev/neuronN
    Silent when      every node opens; undecided if that was not tried
    Source           aws-neuron-driver: 90-neuron-udev.rules
    """
    devices = facts.of("neuron")
    applies(bool(devices), "no device is known")
    access = {device.id: getattr(device, "node_accessible", None) for device in devices}
    need(next((may for may in access.values() if may is not None), None), "node_accessible")
    closed = tuple(device for device, may in access.items() if may is False)
    if not closed:
        return
    yield Problem(
        title=f"This user has no permission to open {len(closed)} of {len(devices)} Neuron devices",
        devices=closed,
        evidence=tuple(Evidence(fact="node_accessible", value=f"{device}: no") for device in closed[:4]),
        remedies=(
            Remedy(text="Check who may open them.", command="ls -l /dev/neuron*", action="admin", kind="look"),
            Remedy(
                text="Open them to all users until the next boot.",
                command="sudo chmod 666 /dev/neuron*",
                action="admin",
            ),
        ),
    )
