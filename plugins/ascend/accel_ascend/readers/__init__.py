"""The formats that Ascend tools print and write, one per file."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from accel.contract.backend import Reader


def ascend_readers() -> "Sequence[Reader]":
    """Return every reader of this plugin."""
    from accel_ascend.readers import (
        cann_image,
        device_nodes,
        identity,
        lspci,
        smi_board,
        smi_common,
        smi_ecc,
        smi_fault_event,
        smi_health,
        smi_list,
        smi_mapping,
        smi_memory,
        smi_power,
        smi_proc_mem,
        smi_product,
        smi_sensors,
        smi_table,
        smi_temperature,
        smi_usages,
        smi_voltage,
        smi_watch,
        typed_stack,
        version_info,
        vllm_report,
    )

    return (
        smi_table.READER,
        smi_mapping.READER,
        smi_list.READER,
        smi_board.READER,
        smi_common.READER,
        smi_usages.READER,
        smi_memory.READER,
        smi_health.READER,
        smi_ecc.READER,
        smi_power.READER,
        smi_temperature.READER,
        smi_voltage.READER,
        smi_sensors.READER,
        smi_product.READER,
        smi_proc_mem.READER,
        smi_fault_event.READER,
        smi_watch.READER,
        version_info.READER,
        typed_stack.READER,
        vllm_report.READER,
        cann_image.READER,
        device_nodes.READER,
        identity.READER,
        lspci.READER,
    )
