"""AWS Trainium and Inferentia: neuron-ls, neuron-monitor, the neuron driver's files, their faults."""

from accel.vendors.contract.vendor import Vendor
from accel_neuron.model import BACKEND, NeuronDevice
from accel_neuron.model import VENDOR as MAKER

VENDOR = Vendor(
    name=BACKEND,
    maker=MAKER,
    kind="accelerator",
    package=__name__,
    record=NeuronDevice,
    pci_ids=("1d0f:706", "1d0f:716", "1d0f:726", "1d0f:736", "1d0f:746"),  # one a generation
    nodes=("/dev/neuron<N>",),
    traces=("/sys/class/neuron_device", "/sys/module/neuron"),
    own=("live", "visibility"),
)
