"""The vendor definition of Huawei Ascend."""

from accel.vendors.contract.vendor import Vendor
from accel_ascend.chips import BACKEND, PCI_IDS
from accel_ascend.chips import VENDOR as MAKER
from accel_ascend.model import AscendDevice

VENDOR = Vendor(
    name=BACKEND,
    maker=MAKER,
    kind="npu",
    package=__package__,
    record=AscendDevice,
    pci_ids=PCI_IDS,
    nodes=("/dev/davinci_manager", "/dev/davinci<N>"),
    held_nodes=("/dev/davinci<physical_id>", "/dev/davinci<index>", "/dev/davinci_manager", "/dev/hisi_hdc"),
    reset="sudo npu-smi set -t reset -i {npu_id:number} -c {chip_id:number}",
    traces=(
        "/usr/local/Ascend/driver/version.info",
        "tool:npu-smi",
        "/usr/local/bin/npu-smi",
        "/usr/local/sbin/npu-smi",
    ),
    own=("live", "visibility"),
)
