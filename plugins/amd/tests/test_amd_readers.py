"""What the readers of AMD's GPUs take from a text, and what they must not."""

import pytest
from accel_amd.readers import amd_readers
from accel_amd.readers.listed_gpus import read as read_listed
from accel_amd.readers.named_gpus import read as read_named
from accel_amd.readers.rocminfo import read as read_rocminfo
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.model.device import Device

ROCMINFO = """
*******
Agent 1
*******
  Name:                    AMD Ryzen 9 7950X 16-Core Processor
  Uuid:                    CPU-XX
  Marketing Name:          AMD Ryzen 9 7950X 16-Core Processor
  Device Type:             CPU
*******
Agent 2
*******
  Name:                    gfx1100
  Uuid:                    GPU-6b2a8f1c9d0e7a55
  Marketing Name:          AMD Radeon RX 7900 XTX
  Device Type:             GPU
  BDFID:                   768
  ISA Info:
    ISA 1
      Name:                    amdgcn-amd-amdhsa--gfx1100
"""


def names(text: str) -> list[str]:
    events = [event for reading in read_named(text) for report in reading.reports for event in report.events]
    return [event.value("name") or "" for event in events]


def devices(text: str) -> list[Device]:
    return [d for read in (read_listed, read_rocminfo) for r in read(text) for p in r.reports for d in p.devices]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("RX7900XTX no Nvidia", "RX7900XTX"),
        ("AMD radeon rx7900XT", "AMD radeon rx7900XT"),
        ("Radeon 5700XT", "Radeon 5700XT"),
        ("- RX470 (gfx803)+ I7 4770", "RX470"),
        ("AMD Ryzen 7 7840HS w/ Radeon 780M Graphics", "Radeon 780M"),
        ("GPU: AMD Radeon RX 6700 XT", "AMD Radeon RX 6700 XT"),
        ("8 x AMD Instinct MI300X", "AMD Instinct MI300X"),
        ("AMD Radeon(TM) Graphics", "AMD Radeon(TM) Graphics"),
    ],
)
def test_an_amd_gpu_in_prose_is_named(text: str, name: str) -> None:
    assert names(text)[:1] == [name]


@pytest.mark.parametrize(
    "text",
    [
        "Python 3.10.11 (tags/v3.10.11:7d4cc5a, Apr  5 2023) [MSC v.1929 64 bit (AMD64)]",
        "Model name: AMD EPYC 7763 64-Core Processor",
        "AMD Ryzen 5 5600X (12) @ 4.651GHz",
        "linux amd64",
        "NVIDIA GeForce RTX 3060 Ti and GTX 1080",
        "vendor ID AuthenticAMD",
    ],
)
def test_a_processor_or_a_platform_is_no_gpu(text: str) -> None:
    assert names(text) == []
    assert devices(text) == []


def test_rocminfo_gives_its_gpus_and_not_its_processors() -> None:
    (device,) = devices(ROCMINFO)
    assert (device.id, device.name, device.compute_capability) == ("amd:0", "AMD Radeon RX 7900 XTX", "gfx1100")
    assert (device.uuid, device.pci_address) == ("GPU-6b2a8f1c9d0e7a55", "0000:03:00.0")


def test_a_cut_rocminfo_gives_the_agents_it_has() -> None:
    assert [d.compute_capability for d in devices(ROCMINFO[: ROCMINFO.index("Device Type:             GPU")])] == [
        "gfx1100"
    ]
    assert devices(ROCMINFO[: ROCMINFO.index("gfx1100")]) == []


def test_collect_env_names_the_target() -> None:
    (device,) = devices("GPU models and configuration: AMD Instinct MI250X (gfx90a:sramecc+:xnack-)\n")
    assert (device.name, device.compute_capability) == ("AMD Instinct MI250X", "gfx90a")


def test_lspci_gives_address_and_id() -> None:
    (device,) = devices(
        "03:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] "
        "Navi 31 [Radeon RX 7900 XT/7900 XTX] [1002:744c] (rev c8)\n"
        "00:00.0 Host bridge [0600]: Advanced Micro Devices, Inc. [AMD] Device [1022:14d8]\n"
    )
    assert (device.name, device.pci_address, device.pci_id) == (
        "Radeon RX 7900 XT/7900 XTX",
        "0000:03:00.0",
        "1002:744c",
    )


@settings(max_examples=60, deadline=None)
@given(st.text(), st.integers(0, len(ROCMINFO)))
def test_hostile_and_cut_texts_never_raise(noise: str, cut: int) -> None:
    for reader in amd_readers():
        for text in (noise, noise + ROCMINFO[:cut], "Agent 1\n" + noise, "GPU models and configuration: " + noise):
            list(reader.read(text))
    assert devices(noise.replace("gfx", "").replace("AMD/ATI", "")) == []
