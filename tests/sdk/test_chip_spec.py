"""`accel.spec`: figures of products, scaled to devices, each with its source or with the reason why it is missing."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

import accel
from accel.collect.live import reports
from accel.machine.recorded import RecordedMachine
from accel.model.merge import merged_devices
from accel.plugins.registry import Registry
from accel.specs import load

TOP = Path(__file__).parent.parent.parent
GIB = 2**30
A100 = accel.Device(
    id="nvidia:0",
    index=0,
    backend="nvidia",
    vendor="NVIDIA",
    kind="gpu",
    name="NVIDIA A100-SXM4-80GB",
    pci_id="10de:20b2",
    architecture="ampere",
    compute_capability="8.0",
    memory_total_bytes=80 * GIB,
    power_limit_watts=400.0,
)
MI250X = accel.Device(
    id="amd:0",
    index=0,
    backend="amd",
    vendor="AMD",
    kind="gpu",
    name="AMD Instinct MI250X",
    architecture="cdna2",
    compute_capability="gfx90a",
    memory_total_bytes=64 * GIB,
)


def of(device: accel.Device, **facts: Any) -> accel.ChipSpec:
    found = accel.spec(replace(device, **facts))
    assert found is not None
    return found


def recorded() -> list[Any]:
    folders = [*TOP.glob("tests/machines/*"), *TOP.glob("plugins/*/tests/machines/*")]
    found = [folder for folder in sorted(folders) if (folder / "machine.yaml").exists()]
    return [pytest.param(folder, id=f"{folder.parts[-4]}-{folder.name}") for folder in found]


@pytest.mark.parametrize("folder", recorded())
def test_every_recorded_device_has_a_spec_whose_blanks_have_reasons(folder: Path) -> None:
    machine = RecordedMachine(folder)
    devices, _ = merged_devices(reports(machine, Registry({}), depth="devices", isolate=False, timeout_seconds=10))
    for device in devices:
        found = accel.spec(device)
        if found is None:
            specs = load()
            known = specs.architecture(device.backend, device.architecture, device.compute_capability)
            assert device.kind == "cpu" or (known is None and not (device.name and specs.find(device.name)))
            continue
        check_complete(found)


@pytest.mark.parametrize("name", ["A100", "H100", "MI300X", "RTX 4090", "910B3", "TPU v5e", "M2 Max", "MTT S5000"])
def test_a_blank_has_a_reason_and_a_figure_a_source(name: str) -> None:
    found = accel.spec(name)
    assert found is not None
    check_complete(found)


def check_complete(found: accel.ChipSpec) -> None:
    reasons = {gap.fact: gap.reason for gap in found.gaps}
    figures = [
        one.name for one in fields(found) if one.name.endswith(("bytes", "second", "watts", "processors", "lanes"))
    ]
    assert len(figures) > 8
    for name in (*figures, "link_type", "pcie_generation", "released", "warp_size"):
        if getattr(found, name) is None:
            assert reasons.get(name), name
            assert name not in found.sources
        else:
            assert found.sources.get(name), name
            assert name not in reasons
    assert found.peaks or any(fact.startswith("peaks") for fact in reasons)
    assert ("peaks" in found.sources) == bool(found.peaks)


def test_a_whole_device_has_the_figures_of_its_sheet() -> None:
    found = of(A100)
    assert (found.name, found.vendor, found.capability, found.target) == ("A100 SXM4 80GB", "nvidia", (8, 0), "sm_80")
    assert (found.multiprocessors, found.warp_size, found.l2_cache_bytes) == (108, 32, 40 * 2**20)
    assert (found.shared_memory_per_block_bytes, found.shared_memory_per_block_optin_bytes) == (48 * 1024, 163 * 1024)
    assert (found.tdp_watts, found.pcie_generation, found.pcie_lanes) == (400, 4, 16)
    assert (found.link_type, found.link_bandwidth_bytes_per_second) == ("NVLink3", 600_000_000_000)
    assert (found.scale, found.memory_scale, found.scale_reason, found.limits) == (1.0, 1.0, None, ())
    assert found.peak_flops("bf16") == 312e12
    assert found.peak_flops("torch.bfloat16", sparse=True) == 624e12


def test_the_units_can_be_told_apart() -> None:
    found = of(A100)
    assert found.peak_flops("fp64") == found.peak_flops("fp64", unit="matrix") == 19.5e12
    assert found.peak_flops("fp64", unit="arithmetic") == 9.7e12
    assert found.peak_flops("bf16", unit="arithmetic") is None
    with pytest.raises(accel.BadInput, match="no such unit"):
        found.peak_flops("bf16", unit="tensor")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("profile", "size", "units", "scale", "memory"),
    [
        ("1g.10gb", 10, 14, 14 / 108, 1 / 8),
        ("2g.20gb", 20, 28, 28 / 108, 2 / 8),
        ("3g.40gb", 40, 42, 42 / 108, 4 / 8),
        ("7g.80gb", 80, 98, 98 / 108, 1.0),
    ],
)
def test_a_mig_slice_has_its_share(profile: str, size: int, units: int, scale: float, memory: float) -> None:
    slice_of: dict[str, Any] = {
        "id": "nvidia:0/mig0",
        "parent": "nvidia:0",
        "name": f"NVIDIA A100-SXM4-80GB MIG {profile}",
        "memory_total_bytes": int((size - 0.4) * GIB),
        "power_limit_watts": None,
    }
    for counted in (None, units):  # as the profile has it, and as the driver counts
        found = of(A100, **slice_of, multiprocessors=counted)
        assert found.multiprocessors == units
        assert found.scale == pytest.approx(scale)
        assert found.memory_scale == memory
        assert found.peak_flops("bf16") == pytest.approx(312e12 * scale)
        assert found.memory_bytes == 80 * GIB * memory
        assert found.scale_reason is not None
        assert f"MIG {profile} with {units} of 108" in found.scale_reason


def test_of_a_slice_of_unknown_size_no_peak_is_told() -> None:
    found = of(A100, id="nvidia:0/mig0", parent="nvidia:0", memory_total_bytes=None)
    assert (found.scale, found.peaks, found.peak_flops("bf16"), found.memory_bytes) == (None, (), None, None)
    assert {"peaks", "multiprocessors", "memory_bytes"} <= {gap.fact for gap in found.gaps}


def test_a_slice_can_be_asked_for_by_name() -> None:
    found = accel.spec("A100 SXM4 80GB MIG 3g.40gb")
    assert found is not None
    assert (found.multiprocessors, found.memory_bytes) == (42, 40 * GIB)


def test_fused_units_are_taken_off_the_peaks_alone() -> None:
    found = of(A100, multiprocessors=104)
    assert found.scale == pytest.approx(104 / 108)
    assert found.peak_flops("bf16") == pytest.approx(312e12 * 104 / 108)
    assert found.memory_bytes == 80 * GIB
    assert found.scale_reason == "the driver reports 104 multiprocessors, the product has 108"


def test_more_units_than_the_product_has_are_said_and_scale_nothing() -> None:
    found = of(A100, multiprocessors=124)
    assert (found.scale, found.peak_flops("bf16")) == (1.0, 312e12)
    assert "it may be another" in found.limits[0]


def test_a_power_limit_is_named_with_both_figures_and_never_multiplied_in() -> None:
    found = of(A100, power_limit_watts=250.0)
    assert (found.scale, found.peak_flops("bf16")) == (1.0, 312e12)
    assert "250 W" in found.limits[0]
    assert "400 W" in found.limits[0]


def test_a_die_of_two_is_half_a_package() -> None:
    found = of(MI250X)
    assert (found.scale, found.memory_scale, found.multiprocessors) == (0.5, 0.5, 110)
    assert found.peak_flops("bf16") == 191.5e12
    assert found.memory_bytes == 64 * GIB
    whole = accel.spec("MI250X")
    assert whole is not None
    assert (whole.scale, whole.multiprocessors, whole.peak_flops("bf16")) == (1.0, 220, 383e12)
    assert "2 devices" in whole.limits[0]


def test_pairs_of_compute_units_that_a_runtime_counts_are_no_fused_units() -> None:
    card = replace(MI250X, name="Radeon RX 7900 XTX", architecture="rdna3", compute_capability="gfx1100")
    found = of(card, memory_total_bytes=24 * GIB, multiprocessors=48)
    assert (found.scale, found.multiprocessors, found.warp_size) == (1.0, 96, 32)


def test_a_partition_of_an_mi300x_has_its_share() -> None:
    whole = replace(MI250X, name="Instinct MI300X", architecture="cdna3", compute_capability="gfx942")
    found = of(whole, parent="amd:0", memory_total_bytes=48 * GIB, multiprocessors=76)
    assert (found.scale, found.memory_scale) == (0.25, 0.25)
    assert found.peak_flops("fp8_e4m3fnuz") == pytest.approx(2614.9e12 / 4)
    assert found.memory_bandwidth_bytes_per_second == 5_300_000_000_000 // 4


def test_a_name_of_several_products_tells_what_they_have_in_common() -> None:
    found = accel.spec("H100")
    assert found is not None
    assert {"H100 SXM5 80GB", "H100 PCIe 80GB"} <= {*found.candidates}
    assert (found.capability, found.warp_size, found.pcie_generation) == ((9, 0), 32, 5)
    assert found.peak_flops("bf16") is None
    reasons = {gap.fact: gap.reason for gap in found.gaps}
    assert "H100 PCIe 80GB 756 T/s" in reasons["peaks: bf16"]
    assert "H100 PCIe 80GB" in reasons["tdp_watts"]


def test_the_memory_of_a_device_tells_products_of_one_name_apart() -> None:
    ambiguous = {"name": "NVIDIA A100-PCIE", "pci_id": None, "power_limit_watts": None}
    assert of(A100, **ambiguous).name == "A100 PCIe 80GB"
    assert of(A100, **{**ambiguous, "memory_total_bytes": 40 * GIB}).name == "A100 PCIe 40GB"


def test_who_says_a_family_means_nothing_that_one_customer_had_made() -> None:
    found = accel.spec("A100")
    assert found is not None
    assert (found.peak_flops("bf16"), found.multiprocessors) == (312e12, 108)
    exact = accel.spec("A100 SXM4 64GB")
    assert exact is not None
    assert exact.multiprocessors == 124


@pytest.mark.parametrize("name", ["", "nothing of the kind", "nvidia:0", "GPU-8f2c61d0", "zz" * 500])
def test_a_name_of_no_chip_has_no_spec(name: str) -> None:
    assert accel.spec(name) is None


def test_a_device_of_an_unknown_product_has_what_its_architecture_tells() -> None:
    found = of(A100, name="NVIDIA Graphics Device", pci_id="10de:ffff")
    assert (found.architecture, found.warp_size, found.target) == ("ampere", 32, "sm_80")
    assert (found.peaks, found.memory_bytes) == ((), None)
    assert "bf16" in found.dtypes
    assert accel.spec(replace(A100, name=None, pci_id=None, architecture=None, compute_capability=None)) is None


@pytest.mark.parametrize(
    "dtype", ["bf16", "BF16", "bfloat16", "torch.bfloat16", "jax.numpy.bfloat16", "BFloat-16", " bf16 "]
)
def test_one_format_has_one_peak_in_any_spelling(dtype: str) -> None:
    assert of(A100).peak_flops(dtype) == 312e12


def test_a_format_that_nobody_knows_is_bad_input_and_the_nearest_is_named() -> None:
    with pytest.raises(accel.BadInput, match=r"'bf17'.*bf16"):
        of(A100).peak_flops("bf17")


def test_a_record_of_the_database_is_taken_too() -> None:
    chip = load().chip("H100 SXM5")
    assert chip is not None
    found = accel.spec(chip)
    assert found is not None
    assert found.peak_flops("bf16") == 989.4e12


def test_figures_that_a_maker_contradicts_are_not_told() -> None:
    found = accel.spec("Gaudi3 OAM (HL-325L)")
    assert found is not None
    assert found.peak_flops("bf16") is None
    assert "1835" in next(gap.reason for gap in found.gaps if gap.fact == "peaks: bf16")


def test_siblings_share_one_record() -> None:
    assert of(A100) is of(A100, id="nvidia:7", index=7, uuid="GPU-7", utilization_percent=50.0)
