"""Framework releases, their builds, and the packages beside them."""

import pytest

from accel.specs import load


@pytest.mark.parametrize(
    ("version", "variant", "platform", "architectures"),
    [
        ("2.4.0", "cu121", "linux_x86_64", ("sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_90")),
        ("2.4.0+cu121", "cu121", "linux_x86_64", ("sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_90")),
        ("2.7.1", "cu128", "linux_x86_64", ("sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120", "compute_120")),
        ("2.4.0", "rocm6.0", "linux_x86_64", ("gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx1030", "gfx1100")),
        ("2.4.0", "cpu", "linux_x86_64", None),
    ],
)
def test_a_build_names_the_code_in_it(
    version: str, variant: str, platform: str, architectures: tuple[str, ...] | None
) -> None:
    build = load().build("torch", version, variant=variant, platform=platform)
    assert build is not None
    assert build.architectures == architectures


@pytest.mark.parametrize(
    ("version", "platform", "variant", "toolkit"),
    [
        ("1.13.1", "linux_x86_64", "cu117", "11.7"),
        ("2.4.0", "linux_x86_64", "cu121", "12.1"),
        ("2.4.0", "windows_x86_64", "cpu", None),
        ("2.4.0", "macos_arm64", "cpu", None),
        ("2.9.0", "linux_x86_64", "cu128", "12.8"),
        ("2.11.0", "linux_x86_64", "cu130", "13.0"),
    ],
)
def test_a_plain_install_gets_the_default_build(version: str, platform: str, variant: str, toolkit: str | None) -> None:
    build = load().build("torch", version, platform=platform)
    assert build is not None
    assert (build.variant, build.toolkit_version, build.default) == (variant, toolkit, True)


def test_a_release_has_its_companions_and_pythons() -> None:
    release = load().framework("torch", "2.4.0")
    assert release is not None
    assert release.companions == {"torchvision": "0.19.0", "torchaudio": "2.4.0", "triton": "3.0.0"}
    assert release.pythons == ("3.8", "3.9", "3.10", "3.11", "3.12")
    assert release.date == "2024-07-24"


def test_releases_are_listed_from_old_to_new_and_each_alone_is_the_same() -> None:
    specs = load()
    for name in ("torch", "jax", "tensorflow"):
        listed = specs.frameworks(name)
        assert len(listed) > 30
        assert all(specs.framework(name, release.version) == release for release in listed)
    versions = [release.version for release in specs.frameworks("torch")]
    assert versions.index("1.13.1") < versions.index("2.0.0") < versions.index("2.9.1") < versions.index("2.10.0")


@pytest.mark.parametrize(("name", "version"), [("torch", "2.4.9"), ("torch", ""), ("no-such", "1.0"), ("jax", "9.9")])
def test_what_was_not_released_is_not_known(name: str, version: str) -> None:
    assert load().framework(name, version) is None
    assert load().build(name, version) is None


def test_jax_names_the_jaxlib_it_needs_and_what_its_plugin_asks_for() -> None:
    release = load().framework("jax", "0.4.31")
    assert release is not None
    assert (release.jaxlib_minimum, release.requires_python) == ("0.4.30", ">=3.10")
    build = load().build("jax", "0.4.31", variant="cuda12")
    assert build is not None
    assert build.requires is not None
    assert build.requires["cudnn"].startswith(">=9.1")


def test_tensorflow_names_the_cuda_it_was_built_with() -> None:
    build = load().build("tensorflow", "2.15.0")
    assert build is not None
    assert (build.toolkit_version, build.cudnn_version, build.driver_floor) == ("12.2", "8.9", "525.60.13")
    assert load().build("tensorflow", "2.11.0", platform="windows_x86_64") is None


@pytest.mark.parametrize(
    ("name", "version", "torch"),
    [
        ("torchvision", "0.19.0", "==2.4.0"),
        ("torchvision", "0.19.0+cu121", "==2.4.0"),
        ("torchvision", "0.29.1", ">=2.14.0"),
        ("torchaudio", "2.11.0", ">=2.11"),
        ("xformers", "0.0.27.post2", "==2.4.0"),
        ("flash_attn", "2.8.3", ">=2.2"),
        ("triton", "3.0.0", "==2.4.*"),
        ("bitsandbytes", "0.48.2", ">=2.3,<3"),
    ],
)
def test_a_companion_names_the_torch_it_needs(name: str, version: str, torch: str | None) -> None:
    companion = load().companion(name, version)
    assert companion is not None
    assert companion.torch == torch
    assert companion.sources


def test_an_unknown_companion_is_not_known() -> None:
    assert load().companion("torchvision", "0.0.1") is None
    assert load().companion("left-pad", "1.0") is None
    flash = load().companion("flash-attn", "2.5.8")
    assert flash is not None
    assert flash.torch is None
