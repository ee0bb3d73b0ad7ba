from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, need, quoted

_COUNTS = ("memory_uncorrected_errors", "sram_uncorrected_errors")


@check(
    code="NE003",
    name="neuron-hardware-error",
    layer="hardware",
    family="gpu-hardware-fault",
    reads=("neuron-hardware-error",),
    needs=("neuron.devices",),
)
def neuron_hardware_error(facts: Facts, specs: Specs) -> Problems:
    """Uncorrected memory errors were counted, or the runtime stopped with a hardware error.

    Why it matters   The affected program died or its results are unreliable; on EC2 the instance should change hosts.
    What to do       Stop and start the instance: it moves to another host. A reboot keeps the faulty device.
    Looks at         neuron-monitor's ECC counters; the runtime's NRT_EXEC_HW_ERR
    Silent when      the counters are zero; undecided if neither counters nor messages are known
    Source           aws-neuron-sdk: Neuron Runtime return codes, 1200 and on; Neuron Monitor, neuron_hw_counters
    """
    events = facts.stated("neuron-hardware-error")
    counts = {(d.id, name): getattr(d, name, None) for d in facts.of("neuron") for name in _COUNTS}
    if not events:
        need(next((value for value in counts.values() if value is not None), None), "memory_uncorrected_errors")
    bad = {key: value for key, value in counts.items() if value}
    if not bad and not events:
        return
    devices = tuple(dict.fromkeys(device for device, _ in bad))
    yield Problem(
        title=f"{', '.join(devices[:4])} has uncorrected errors"
        if devices
        else ("A Neuron device has a hardware failure"),
        devices=devices,
        evidence=quoted(events) + tuple(Evidence(fact=n, value=f"{d}: {value}") for (d, n), value in bad.items()),
        remedies=(
            Remedy(
                text="Stop the instance and start it again, which moves it to another host.",
                command="aws ec2 stop-instances --instance-ids ID && aws ec2 start-instances --instance-ids ID",
                action="admin",
            ),
        ),
    )
