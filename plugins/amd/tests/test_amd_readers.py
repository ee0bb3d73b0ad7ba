"""What the readers of AMD's GPUs take from a text, and what they must not."""

import pytest
from accel_amd.readers import dkms_status, gfx_targets, node_listing, processors
from accel_amd.readers.listed_gpus import read as read_listed
from accel_amd.readers.rocminfo import read as read_rocminfo
from accel_amd.signs import target_of_name
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.collect.text import read_texts
from accel.model.device import Device
from accel.model.observation import Noted, Product
from accel.plugins.registry import Registry
from accel.specs import load
from accel.vendors.toolkit.members import readers_of

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
    """Return the AMD GPUs that prose names."""
    seen = read_texts([("report", text)], Registry({})).observations
    return [one.name or "" for one in seen if isinstance(one, Product) and one.vendor == "amd"]


def devices(text: str) -> list[Device]:
    return [d for read in (read_listed, read_rocminfo) for r in read(text) for p in r.reports for d in p.devices]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("RX7900XTX no Nvidia", "gfx1100"),
        ("AMD radeon rx7900XT", "gfx1100"),
        ("Radeon 5700XT", "gfx1010"),
        ("- RX470 (gfx803)+ I7 4770", "gfx803"),
        ("AMD Ryzen 7 7840HS w/ Radeon 780M Graphics", "gfx1103"),
        ("GPU: AMD Radeon RX 6700 XT", "gfx1031"),
        ("8 x AMD Instinct MI300X", "gfx942"),
    ],
)
def test_an_amd_gpu_in_prose_is_named_and_has_a_target(text: str, target: str) -> None:
    assert target_of_name(names(text)[0], load()) == target


def noted(text: str) -> list[dict[str, str]]:
    readings = [r for reader in (node_listing, dkms_status, processors, gfx_targets) for r in reader.READER.read(text)]
    found = [one for r in readings for one in r.observations]
    return [{"fact": one.fact, **dict(one.values)} for one in found if isinstance(one, Noted)]


def test_a_processor_with_graphics_is_known_by_its_number() -> None:
    for text, target in (
        ("* CPU: 7800X3D", "gfx1036"),
        ("model name : AMD Ryzen 9 7950X 16-Core Processor", "gfx1036"),
        ("AMD Ryzen 7 7840HS w/ Radeon 780M Graphics", "gfx1103"),
        ("cpu: amd ryzen 5 5600g", "gfx90c"),
        ("AMD Ryzen AI 9 HX 370", "gfx1150"),
    ):
        assert [one["target"] for one in noted(text)] == [target], text
    for text in ("CPU: Ryzen 7 5800X3D", "GPU: RX 7600", "Ryzen 5 7500F", "CPU: i9-13900K", "AMD EPYC 7763"):
        assert noted(text) == [], text


def test_dkms_tells_for_which_kernels_the_driver_is_there() -> None:
    line = "amdgpu, 5.18.13-1538762.22.04, 5.15.0-60-generic, x86_64: installed"
    (known,) = noted(line)
    assert (known["version"], known["kernel"], known["state"]) == (
        "5.18.13-1538762.22.04",
        "5.15.0-60-generic",
        "installed",
    )
    assert noted("amdgpu/6.3.6-1718217.22.04: added")[0]["state"] == "added"


def test_a_node_is_closed_to_whom_its_mode_shuts_out() -> None:
    node = "crw-rw---- 1 root render 226, 128 Mar  3 10:00 /dev/dri/renderD128\n"
    assert noted(node + "uid=1000(a) gid=1000(a) groups=1000(a),44(video)")[0]["group"] == "render"
    for mine in ("uid=0(root) gid=0(root) groups=0(root)", "uid=7(a) gid=7(a) groups=7(a),992(render)", ""):
        assert noted(node + mine) == [], mine


def test_lists_of_targets_are_told_from_the_target_of_one_gpu() -> None:
    assert noted("gfx1100;gfx1101;gfx1102") == [{"fact": "gfx-list", "targets": "gfx1100 gfx1101 gfx1102"}]
    assert noted("  Name:                    gfx90a") == [{"fact": "gfx-named", "target": "gfx90a"}]
    assert noted("supported_types=[gfx1103]") == [{"fact": "gfx-list", "targets": "gfx1103"}]
    assert noted("amdgpu is not supported (supported types:[])") == [{"fact": "gfx-list-empty"}]


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
    for reader in readers_of("accel_amd"):
        for text in (noise, noise + ROCMINFO[:cut], "Agent 1\n" + noise, "GPU models and configuration: " + noise):
            list(reader.read(text))
    assert devices(noise.replace("gfx", "").replace("AMD/ATI", "")) == []
