"""What specs/ knows, as records. None always means "not known". Each record names its sources and confidence.

confidence: "official" (a vendor's document), "derived" (computed from official data), "community" (third parties);
of chips "high" (a vendor's document that an independent table agrees with), "medium" (one of the two), "low".
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """One product as a driver names it.

    vendor, architecture   the names of its folder and file in specs: "nvidia", "hopper"
    kind                   "gpu", "npu", "tpu", "cpu" or "accelerator"
    compute_capability     NVIDIA only: "9.0"; compute_target is AMD's: "gfx90a"
    pci_ids                ("10de:2330",), lower case
    devices_per_board      devices that the driver lists for one board; None: one
    memory_bytes           nominal size of the whole board; memory_bandwidth likewise
    dense_operations_per_second   by format, without structured sparsity. fp64, fp32, fp16_vector: ordinary
        units; *_tensor, *_matrix, tf32, bf16, fp8, int8 and so on: matrix units; fp16_tensor_acc16 and _acc32
        differ in the accumulator
    slowdown_celsius       the temperature at which it slows itself down
    nvswitch               sold on boards whose links need NVSwitch and its fabric manager
    link_bytes_per_second  device-to-device links, both directions summed
    """

    name: str
    vendor: str
    architecture: str
    kind: str
    aliases: tuple[str, ...] = ()
    segment: str | None = None
    marketed_for_datacenter: bool | None = None
    compute_capability: str | None = None
    compute_target: str | None = None
    pci_ids: tuple[str, ...] | None = None
    devices_per_board: int | None = None
    memory_bytes: int | None = None
    memory_type: str | None = None
    memory_bandwidth_bytes_per_second: int | None = None
    dense_operations_per_second: dict[str, int] | None = None
    structured_sparsity: bool | None = None
    tdp_watts: float | None = None
    slowdown_celsius: float | None = None
    nvswitch: bool | None = None
    link_type: str | None = None
    link_bytes_per_second: int | None = None
    pcie_generation: int | None = None
    pcie_lanes: int | None = None
    die_name: str | None = None
    die_area_mm2: float | None = None
    die_count: int | None = None
    die_process: str | None = None
    die_non_planar: bool | None = None
    mig_instances_max: int | None = None
    released: str | None = None
    rates_from: dict[str, Any] | None = None
    agrees_with: dict[str, Any] | None = None
    note: str | None = None
    sources: tuple[str, ...] = ()
    confidence: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture:
    """A generation of chips.

    name            in lower case, as Device.architecture has it: "hopper"
    first_toolkit, last_toolkit   CUDA versions that can target it; last None: still can, or not known
    last_driver     the last driver branch that drives it ("470"); None: still driven, or not known
    dtypes          number formats with a native path worth using, matrix units first; None: not known
    """

    name: str
    vendor: str
    title: str | None = None
    compute_capabilities: tuple[str, ...] | None = None
    compute_targets: tuple[str, ...] | None = None
    first_toolkit: str | None = None
    last_toolkit: str | None = None
    first_driver: str | None = None
    last_driver: str | None = None
    matrix_dtypes: tuple[str, ...] | None = None
    vector_dtypes: tuple[str, ...] | None = None
    dtypes: tuple[str, ...] | None = None
    features: tuple[str, ...] | None = None
    released: str | None = None
    note: str | None = None
    sources: tuple[str, ...] = ()
    confidence: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolkit:
    """A toolkit release, the newest patch of its minor version.

    driver_minimum          the Linux driver paired with this release; None: not published
    driver_floor            the oldest Linux driver on which its programs run at all: for CUDA 11 and later that
                            of the major (minor-version compatibility), before 11 the paired driver
    *_windows               the same for Windows
    driver_branch           the branch that serves it natively: 535
    architectures           what its compiler targets: ("sm_50", …, "sm_90")
    """

    name: str
    version: str
    driver_minimum: str | None = None
    driver_minimum_windows: str | None = None
    driver_floor: str | None = None
    driver_floor_windows: str | None = None
    driver_branch: int | None = None
    architectures: tuple[str, ...] | None = None
    month: str | None = None
    note: str | None = None
    sources: tuple[str, ...] = ()
    confidence: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """One build of a framework's release.

    variant        "cu121", "cpu", "rocm6.0", "xpu"; of JAX "cuda12"; of TensorFlow "cuda"
    platform       "linux_x86_64", "linux_aarch64", "windows_x86_64", "macos_arm64", "macos_x86_64"
    toolkit_version  of the toolkit that it was built with: "12.1"
    cudnn_version, nccl_version   what it was built with or pins
    architectures  GPU code in it: ("sm_50", …, "compute_90"), ("gfx90a", …); None: not known
    default        a plain install gets this one on this platform
    requires       what it declares of its libraries: {"cudnn": ">=9.1,<10.0"}
    """

    variant: str
    platform: str
    toolkit_version: str | None = None
    cudnn_version: str | None = None
    nccl_version: str | None = None
    architectures: tuple[str, ...] | None = None
    default: bool = False
    pythons: tuple[str, ...] | None = None
    driver_floor: str | None = None
    requires: dict[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A framework's release and its builds.

    pythons     Python versions for which some platform has a wheel ("3.13t" is free-threaded)
    companions  versions that go with it: {"torchvision": "0.19.0"}
    """

    name: str
    version: str
    date: str | None = None
    builds: tuple[Build, ...] = ()
    pythons: tuple[str, ...] | None = None
    requires_python: str | None = None
    companions: dict[str, str]
    jaxlib: str | None = None
    jaxlib_minimum: str | None = None
    note: str | None = None
    sources: tuple[str, ...] = ()
    confidence: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Companion:
    """What a version of a package that goes with a framework requires.

    torch     a requirement on torch ("==2.4.0", ">=2.3,<3"); None: not declared or not known
    requires  all that is known of it: {"torch": "==2.4.0", "cuda": "12"}
    rule      in words, where it is no single requirement
    """

    name: str
    version: str
    torch: str | None = None
    requires: dict[str, str]
    rule: str | None = None
    sources: tuple[str, ...] = ()
    confidence: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A sentence that software prints about a fault.

    name     of the sentence; `says` states in plain words what it means
    pattern  a regular expression that finds it; example is text that it finds
    sign     a literal without which the pattern cannot match; None: none is known
    topic    the file that it stands in: "nvidia/messages/driver"
    """

    name: str
    pattern: str
    example: str
    says: str
    topic: str
    sign: str | None = None
    ignore_case: bool = False
    backend: str | None = None
    source: str | None = None
