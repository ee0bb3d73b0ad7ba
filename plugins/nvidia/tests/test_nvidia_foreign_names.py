"""Tools of other vendors print nvidia-smi's forms; their devices are not NVIDIA's."""

from accel_nvidia.readers import smi_list, smi_query_text

LIST = """GPU 0: Iluvatar BI-V150 (UUID: GPU-5d0c2f7e-93aa-5b61-8f41-0c1d2e3f4a5b)
GPU 1: Tesla T4 (UUID: GPU-7d0c2f7e-93aa-5b61-8f41-0c1d2e3f4a5d)
"""
QUERY = """Driver Version                            : 4.4.0
GPU 00000000:15:00.0
    Product Name                          : {name}
    FB Memory Usage
        Total                             : 32768 MiB
"""


def names(readings: object) -> list[str | None]:
    return [d.name for reading in readings for report in reading.reports for d in report.devices]  # type: ignore[attr-defined]


def test_a_list_gives_the_gpus_that_may_be_nvidias() -> None:
    assert names(smi_list.read(LIST)) == ["Tesla T4"]


def test_a_log_of_another_vendors_product_gives_nothing_at_all() -> None:
    assert names(smi_query_text.read(QUERY.format(name="Tesla T4"))) == ["Tesla T4"]
    assert list(smi_query_text.read(QUERY.format(name="Iluvatar MR-V100"))) == []
