"""The pure parts: GPU code, what-if names, what is installed."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet

from accel.model.errors import BadInput
from accel.resolver.candidates import candidates
from accel.resolver.catalogue import Catalogue
from accel.resolver.choose import resolve_requests
from accel.resolver.code import Fit, Limits, fit_of_capability, limits_of
from accel.resolver.request import parse_request, within
from accel.resolver.target import Target
from accel.resolver.what_if import accelerators_named, changed
from accel.specs import load

SPECS = load()


@pytest.mark.parametrize(
    ("architectures", "toolkit", "served", "code", "fit"),
    [
        (("sm_80", "sm_86"), "12.1", "12.1", "8.9", "machine"),  # same major, minor not above
        (("sm_86",), "12.1", "12.1", "8.0", "no"),  # minor above
        (("sm_80",), "12.1", "12.1", "9.0", "no"),  # another major
        (("sm_90a",), "12.4", "12.4", "9.0", "machine"),
        (("sm_100a",), "12.9", "12.9", "10.3", "no"),  # suffix a: exactly that capability
        (("sm_80", "compute_90"), "12.5", "12.5", "9.0", "portable"),
        (("sm_80", "compute_90"), "12.5", "12.2", "9.0", "no"),  # the driver cannot compile what 12.5 made
        (("sm_80", "compute_90"), "12.5", None, "9.0", "unknown"),
        (("sm_80", "compute_80"), "11.8", "13.0", "12.0", "no"),  # 11.8 is older than Blackwell
        (("sm_80", "compute_90"), "12.5", "12.5", "8.6", "machine"),
        (("sm_80",), "12.6", "12.6", "8.7", "no"),  # integrated: only its own code
        (("sm_87",), "12.6", "12.6", "8.7", "machine"),
        (None, "13.0", "13.0", "6.1", "no"),  # no toolkit 13 makes code for Pascal
        (None, "12.6", "12.6", "6.1", "unknown"),
        (None, "11.7", "12.6", "8.9", "unknown"),  # 8.6 code of an 11.7 build would do
        (("sm_80",), "12.6", "12.6", None, "unknown"),
    ],
)
def test_code_runs_as_the_compatibility_guide_says(
    architectures: tuple[str, ...] | None, toolkit: str, served: str | None, code: str | None, fit: Fit
) -> None:
    limits = limits_of(SPECS, "nvidia", code)
    assert fit_of_capability(architectures, toolkit, served, code, limits) == fit


def test_a_device_that_no_table_has_is_bounded_by_nothing() -> None:
    assert limits_of(SPECS, "nvidia", "99.0") == Limits()
    assert limits_of(SPECS, "acme", "1.0") == Limits()


@pytest.mark.parametrize(
    ("text", "vendor", "code"),
    [
        ("RTX 5090", "nvidia", "12.0"),
        ("NVIDIA GeForce RTX 3090", "nvidia", "8.6"),
        ("8.6", "nvidia", "8.6"),
        ("sm_90", "nvidia", "9.0"),
        ("gfx90a", "amd", "gfx90a"),
        ("MI300X", "amd", "gfx942"),
        ("Ascend 910B", "ascend", None),
        ("TPU v5e", "tpu", None),
        ("Gaudi2", "intel", None),
    ],
)
def test_devices_are_known_by_name_or_code(text: str, vendor: str, code: str | None) -> None:
    (device,) = accelerators_named(text, SPECS)
    assert (device.vendor, device.code) == (vendor, code)


def test_a_count_before_the_name_repeats_it() -> None:
    assert len(accelerators_named("4x H100", SPECS)) == 4


@pytest.mark.parametrize("text", ["RTX 9990", "", "GPU", "sm_999", "99.9", "0x H100 x", "’"])
def test_an_unknown_device_is_wrong_input(text: str) -> None:
    with pytest.raises(BadInput, match="not known"):
        accelerators_named(text, SPECS)


@given(text=st.text(max_size=40))
@settings(max_examples=60, deadline=None)
def test_any_text_is_a_device_or_is_wrong_input(text: str) -> None:
    try:
        found = accelerators_named(text, SPECS)
    except BadInput:
        return
    assert all(device.vendor for device in found)


def test_naming_other_devices_forgets_the_drivers() -> None:
    here = Target(system="linux", machine="x86_64", drivers={"nvidia": "535.1"}, serves={"nvidia": "12.2"})
    assert changed(here, SPECS, gpus=["H100"]).drivers == {}
    assert changed(here, SPECS, python="3.12").drivers == {"nvidia": "535.1"}


def test_where_pythons_are_not_known_the_neighbours_speak() -> None:
    target = changed(
        Target(system="windows", machine="x86_64", python="3.12"), SPECS, gpus=["GTX 1060"], driver="452.39"
    )
    found = resolve_requests(SPECS, [parse_request("torch==1.5.1")], target)
    assert not found.fits
    assert any(r.rule == "python" and "has none for 3.12" in r.because for r in found.rejected)
    assert resolve_requests(SPECS, [parse_request("torch==1.5.1")], replace(target, python="3.8")).fits


def test_the_same_version_in_another_build_is_taken_out_first() -> None:
    here = Target(
        system="linux", machine="x86_64", python="3.10", installed={"torch": "2.4.0+cpu", "torchvision": "0.19.0"}
    )
    gpu = changed(here, SPECS, gpus=["RTX 3090"], driver="535.104.05")
    assert gpu.installed == {}  # of another machine nothing is known
    target = replace(gpu, installed=here.installed)
    asked = [parse_request("torch==2.4.0"), parse_request("torchvision")]
    assert resolve_requests(SPECS, asked, target).command == (
        "pip uninstall -y torch && pip install torch==2.4.0 torchvision==0.19.0"
    )
    assert resolve_requests(SPECS, asked, target, "uv").command == (
        "uv pip install torch==2.4.0 torchvision==0.19.0 --reinstall-package torch"
    )
    kept = replace(target, installed={"torch": "2.4.0+cu121", "torchvision": "0.19.0"})
    assert resolve_requests(SPECS, asked, kept).command == "pip install torch==2.4.0 torchvision==0.19.0"


def test_a_release_on_no_index_is_no_candidate() -> None:
    versions = {c.version for c in candidates(Catalogue(SPECS), "torch")}
    assert "1.8.1" in versions
    assert "1.8.2" not in versions


NUMBERS = st.lists(st.integers(0, 12), min_size=1, max_size=4).map(lambda parts: ".".join(map(str, parts)))


@given(
    NUMBERS,
    st.lists(st.tuples(st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), NUMBERS), min_size=1, max_size=3),
)
def test_plain_numbers_are_compared_as_packaging_does(version: str, parts: list[tuple[str, str]]) -> None:
    bound = ",".join(sign + number for sign, number in parts)
    assert within(version, bound) is SpecifierSet(bound).contains(version, prereleases=True)


def test_the_code_read_in_the_installed_build_goes_before_the_table() -> None:
    here = changed(
        Target(system="linux", machine="x86_64", python="3.11"), SPECS, gpus=["Tesla K80"], driver="470.256.02"
    )
    asked = [parse_request("torch==1.12.1")]
    own = replace(here, installed={"torch": "1.12.1+cu113"}, held={"torch": ("sm_90",)})
    told = [r.because for r in resolve_requests(SPECS, asked, own).rejected if r.variant == "cu113"]
    assert any("sm_90" in because for because in told), told
