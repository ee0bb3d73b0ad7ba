from collections.abc import Iterator
from typing import Final

from accel.facts.containers import OF_LXC, in_container, is_container_id, is_kubernetes
from accel.vendors.contract.check import Fact, Facts, Problem, Problems, Remedy, Specs, applies, check, need, quoted
from accel.vendors.toolkit.secure_boot import NAMED, READS
from accel.vendors.toolkit.table_steps import fix, fixes
from accel_nvidia import around
from accel_nvidia.container_remedies import of_lxc_alone
from accel_nvidia.driver_install import first_driver, has_own_way
from accel_nvidia.driver_pod import of_driver_pod
from accel_nvidia.module_remedies import READS as OF_SOURCES
from accel_nvidia.module_remedies import (
    allow_load,
    build_again,
    build_module,
    displace_nouveau,
    drives_no_gpu,
    free_from_other,
    from_one_source,
    in_windows,
    kernel_compiler,
    newer_source,
    of_runfile,
    one_origin,
    one_version,
    reload_uvm,
    signed_module,
    switch_on,
)

# What is stated, the most telling first: facts, title
_KINDS: Final = (
    (("module-key-refused",), "Secure Boot rejects the NVIDIA kernel module: it is not signed with a trusted key"),
    (("module-load-denied",), "SELinux blocks the NVIDIA kernel module"),
    (
        ("other-driver-bound", "nouveau-in-use", "ramdisk-without-module"),
        "Another kernel driver is bound to the GPU, so the NVIDIA module cannot use it",
    ),
    (("kernel-not-packaged",), "The driver container finds no packages for the node's kernel"),
    (("modules-unlike",), "The NVIDIA kernel modules on this machine have different driver versions"),
    (
        ("module-compiler-unlike",),
        "The NVIDIA kernel module was not built: this compiler is not the one that built the kernel",
    ),
    (
        ("module-source-refused",),
        "The NVIDIA driver's kernel module does not compile for this kernel: the driver is too old for it",
    ),
    (
        ("module-not-built", "module-absent", "module-of-other-kernel", "module-for-other-kernels"),
        "There is no NVIDIA kernel module for the running kernel",
    ),
    (
        ("module-switched-off",),
        "The NVIDIA kernel module is disabled: modprobe's configuration loads nothing instead of it",
    ),
    (
        ("driver-never-called",),
        "Another kernel driver is bound to the GPUs: the NVIDIA module was loaded and found none",
    ),
    (("module-not-inserted", "driver-probed-nothing"), "The NVIDIA kernel module could not be loaded"),
    (("driver-package-broken",), "The NVIDIA driver's packages could not be installed together"),
    (("nvidia-module-absent",), "The NVIDIA kernel module is not loaded"),
    (
        ("driver-not-loading-said",),
        "The NVIDIA driver stopped working after a kernel update: there is no module for the new kernel",
    ),
    (
        ("driver-service-without-devices",),
        "A service of the NVIDIA driver found no device: the module is not loaded, or has no GPU",
    ),
)
_UNSIGNED: Final = "The NVIDIA kernel module does not load, and Secure Boot is on: it only accepts signed modules"
_HELD_BY_NOUVEAU: Final = "nouveau is bound to the GPU, so the NVIDIA module cannot use it"
_WITHOUT_HEADERS: Final = (
    "There is no NVIDIA kernel module for the running kernel: the headers needed to build it are missing"
)
_STALE: Final = "The nvidia_uvm module does not work: a suspend broke it, or its device node is missing"
_FACTS: Final = tuple(name for names, _ in _KINDS for name in names)
_NAMES_DRIVER: Final = ("nvidia-module-absent", "module-source-refused", "nvidia-dkms-named")
_BESIDE: Final = ("peermem", "peer_mem", "nvidia-fs", "nvidia_fs")  # modules that CUDA does not need
_ANY_MODULE: Final = ("module-absent", "module-of-other-kernel", "module-not-inserted")
_BEFORE_ANSWER: Final = (
    *("nouveau-in-use", "module-not-inserted", "module-switched-off"),
    *("driver-never-called", "driver-service-without-devices"),
)
_OF_SYSTEM: Final = ("nvidia-module-absent", "module-not-built", "module-not-inserted", "module-source-refused")
_UPDATED: Final = "kernel-update-told"
_NO_DEVICE: Final = "no such device"
_DISPLACERS: Final = ("nouveau", "nova")
_UNUSED: Final = ("device-unused-said", "runs-on-processor", "accelerator-slow-said", "job-slow")


@check(
    code="NV003",
    name="driver-not-loaded",
    layer="driver",
    reads=(
        *_FACTS,
        *(
            "cuda-unknown-error",
            "cuda-failed-at-work",
            "nvidia-dkms-named",
            *("woke-from-sleep", "amd-brand-named", *_UNUSED),
            "reboot-cures",
            "kernel-fault",
            "uvm-stuck",
            "device-nodes-absent",
            "host-driver-answers",
            "host-lacks-node",
            "smi-works-said",
            *("gpu-answers-program", "program-counts-gpus"),
            *("module-kept-for", _UPDATED),
            "kernel-newer-than-driver",
            *READS,
            *(around.APPLIANCE, around.OF_AZURE, OF_LXC, *OF_SOURCES),
        ),
        "nvidia-module-source",
        *("device-node-listed", "nvml-no-permission", "device-node-denied", "uvm-node-absent"),
        *("cgroup-denies-nvidia", "container-reload-named", "nvml-unknown-error"),
        *(*around.NO_GPU, *around.NO_LIBRARY, *around.AROUND),
    ),
    needs=("use.torch|jax|tensorflow",),
    requires=(
        *("wsl-driver-libs", "driver-library-mismatch", "gpu-lost", "gpu-xid", "cuda-torch-on-amd-machine"),
        *("slurm-gres-missing", "container-cgroup-denied", "uvm-node-missing", "k8s-nvidia-runtime-missing"),
        *("windows-tdr-timeout", "selinux-denied", "driver-capabilities-missing", "gpu-bar-unassigned"),
        *("gpu-needs-other-module", "laptop-gpu-switched-off"),
    ),
)
def driver_not_loaded(facts: Facts, specs: Specs) -> Problems:
    """No working NVIDIA kernel module: not built, rejected, blocked by another driver, or nvidia_uvm no longer answers.

    Why it matters   Nothing can use the GPU until a module for the running kernel is loaded.
    What to do       Rebuild or reinstall the driver for the running kernel; unbind the GPU from nouveau or nova; enroll
                     the signing key; after a suspend reload nvidia_uvm.
    Looks at         messages of nvidia-smi, NVML, modprobe, DKMS, apt, the installer and the kernel log; error 999
    Silent when      the message comes from a container, WSL or an AMD machine (other checks cover them); error 999
                     comes after seconds of work (a watchdog). Undecided if "Found no NVIDIA driver" is the only sign
    Source           NVIDIA driver README: common problems; Linux kernel module signing
    """
    unsigned = tuple(fact for fact in facts.stated("module-not-inserted") if _counts(fact, facts))
    if unsigned and not facts.stated("module-key-refused") and _by_secure_boot(facts):
        evidence = quoted((*unsigned, *facts.stated(NAMED)[:1]))
        yield Problem(title=_UNSIGNED, evidence=evidence, remedies=signed_module(facts, unsigned, specs))
        return
    for names, title in _KINDS:
        stated = tuple(fact for fact in facts.stated(*names) if _counts(fact, facts))
        if stated:
            if any(fact.value("build") == "headers" for fact in stated):
                title = _WITHOUT_HEADERS
            if any(fact.name == "module-of-other-kernel" and fact.value("has") for fact in stated):
                title = "The NVIDIA module that the running kernel finds was built for another kernel"
            if names == ("nvidia-module-absent",) and _by_secure_boot(facts):
                evidence = quoted((*stated[:2], *facts.stated(NAMED)[:1]))
                yield Problem(title=_UNSIGNED, evidence=evidence, remedies=signed_module(facts, stated, specs))
                return
            if all(fact.name == "nouveau-in-use" or fact.value("driver") == "nouveau" for fact in stated):
                title = _HELD_BY_NOUVEAU
            yield Problem(title=title, evidence=quoted(stated), remedies=_remedies(names[0], stated, facts, specs))
            return
    stale = tuple(_stale(facts))
    if stale:
        yield Problem(title=_STALE, evidence=quoted(stale), remedies=reload_uvm(facts, specs))
        return
    yield from _from_programs(facts, specs)


def _counts(fact: Fact, facts: Facts) -> bool:
    """Exclude facts that a container, another vendor's module or a working driver explains."""
    if fact.name == "driver-not-loading-said":
        there = around.driver_version(facts) or facts.host.system == "windows" or facts.on_wsl
        return bool(facts.stated(_UPDATED)) and not there and "kernel" in fact.text.lower()
    if fact.name in ("module-not-built", "driver-package-broken"):
        answers = around.driver_version(facts) is not None and not facts.first("nvidia-module-absent")
        if "nvidia" not in fact.text.lower() and facts.stated("amd-module-not-built"):
            return False
        named = "nvidia" in fact.text.lower() or facts.seen("nvidia") or bool(facts.stated(*_NAMES_DRIVER))
        return named and not answers
    if fact.name == "driver-probed-nothing" and around.amd_seen(facts) and not facts.seen("nvidia"):
        return False  # see NV150: there is no device for it
    if fact.name in _ANY_MODULE and any(name in fact.text.lower() for name in _BESIDE):
        return False
    if fact.name == "module-absent" and _NO_DEVICE in fact.text.lower():
        return False  # the module exists but supports no GPU here
    if fact.name == "module-compiler-unlike":
        return facts.seen("nvidia") or bool(facts.stated("module-not-built", "module-absent", "nvidia-dkms-named"))
    if fact.name == "kernel-not-packaged":
        return ("kernel version" in fact.text.lower() and facts.seen("nvidia")) or is_kubernetes(facts)
    if fact.name == "other-driver-bound":
        driver = (fact.value("driver") or "").lower()
        unused = (fact.value("users") or "1") == "0"
        return driver.startswith(_DISPLACERS) and not unused and not around.driver_version(facts)
    if fact.name == "module-for-other-kernels":
        return facts.first("nvidia-module-absent") is not None and not around.driver_version(facts)
    if fact.name in _BEFORE_ANSWER:
        return not around.driver_version(facts)  # it may have been replaced by the NVIDIA module later
    if fact.value("piece") == "loaded-module" and (around.driver_version(facts) or not facts.seen("nvidia")):
        return False  # lsmod of a machine that has no NVIDIA GPU, or before the driver was loaded
    if fact.name == "nvidia-module-absent":
        if fact.scope == "container" and (around.driver_version(facts) or facts.live):
            return False
        inside = is_container_id(fact.value("host")) or (
            "does not appear to be running" in fact.text and in_container(facts)
        )
        absent = bool(facts.stated("device-nodes-absent")) and not facts.stated("host-lacks-node")
        without_nodes = in_container(facts) and absent
        handed_on = in_container(facts) and facts.first("host-driver-answers") is not None  # see NV008
        handed_on = handed_on or of_lxc_alone(facts)
        return not facts.on_wsl and not inside and not without_nodes and not handed_on
    return True


def _stale(facts: Facts) -> Iterator[Fact]:
    """Yield signs that nvidia_uvm does not answer: error 999 at CUDA initialization, or a failure after a suspend."""
    if around.on_windows(facts) or around.closed_nodes(facts):
        return
    if facts.stated("nvml-no-permission", "device-node-denied", "cgroup-denies-nvidia", "container-reload-named"):
        return
    if facts.stated("nvml-unknown-error") and in_container(facts):
        return  # NVML does not use nvidia_uvm: the container lost more than that
    at_work = {fact.line for fact in facts.stated("cuda-failed-at-work")}
    unloaded = facts.first("libcuda-missing") is not None  # TensorFlow's "unknown error": no driver library
    unknown = tuple(
        fact
        for fact in facts.stated("cuda-unknown-error")
        if fact.line not in at_work and not (unloaded and "cuinit" in fact.text.lower())
    )
    suspended, stuck = facts.stated("woke-from-sleep"), facts.stated("uvm-stuck")
    built_without = any(f.name == "torch" and f.built_for in ("cpu", "rocm") for f in facts.environment.frameworks)
    unseen = around.sees_no_gpu(facts) and around.driver_version(facts) is not None and not built_without
    if in_container(facts) and not (suspended or stuck):
        return  # the node may only be missing or inaccessible in the container
    told = _unused_after_sleep(facts)
    cured = facts.stated("reboot-cures") if suspended else ()
    failed = facts.stated("kernel-fault") if cured else ()
    if not (suspended or stuck) and facts.stated("gpu-answers-program", "program-counts-gpus"):
        unknown = ()  # the same driver answers another program here
    if unknown or (suspended and (stuck or unseen)) or failed or told:
        yield from dict.fromkeys((*unknown[:2], *stuck[:1], *failed[:1], *told[:2], *suspended[:1], *cured[:1]))


def _unused_after_sleep(facts: Facts) -> tuple[Fact, ...]:
    """Return the facts that the NVIDIA GPU is unused since a suspend; () with another vendor's GPU."""
    of_others = around.amd_seen(facts) or facts.stated("amd-brand-named")
    elsewhere = bool(facts.accelerators) and not facts.seen("nvidia")
    if of_others or elsewhere or facts.host.system == "macos":
        return ()
    slept = {fact.line for fact in facts.stated("woke-from-sleep") if fact.line is not None}
    return tuple(fact for fact in facts.stated(*_UNUSED) if fact.line in slept)


def _by_secure_boot(facts: Facts) -> bool:
    """Return whether Secure Boot is on, or mentioned, and nothing else explains why the module does not load."""
    other = facts.stated("module-compiler-unlike", "modules-unlike", "module-of-other-kernel", "module-not-built")
    return not other and (facts.host.secure_boot is True or bool(facts.stated(NAMED)))


def _remedies(kind: str, stated: tuple[Fact, ...], facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    if facts.host.system == "windows":
        return in_windows(facts, specs)
    if around.on_jetson(facts):
        return fixes(specs, "nvidia", "without-pc-driver")
    if kind == "module-key-refused":
        return signed_module(facts, stated, specs)
    if kind in _OF_SYSTEM and has_own_way(facts, specs):
        return (first_driver(facts, specs),)
    mixed = kind in _OF_SYSTEM and (from_one_source(facts, specs) or of_runfile(facts, specs))
    if mixed:
        return mixed
    if kind == "module-switched-off":
        return switch_on(facts, specs)
    if kind == "other-driver-bound":
        return displace_nouveau(facts, specs)
    if kind == "module-load-denied":
        return allow_load(specs)
    if kind == "driver-never-called":
        return free_from_other(facts, specs)
    if kind == "driver-package-broken":
        return one_origin(stated)
    if kind == "modules-unlike":
        return one_version(specs)
    if kind == "module-compiler-unlike":
        return kernel_compiler(facts, specs)
    if kind == "module-source-refused":
        return newer_source(facts, specs)
    unpackaged = is_kubernetes(facts) and any("/build: no such file" in fact.text.lower() for fact in stated)
    if kind == "kernel-not-packaged" or unpackaged:
        return of_driver_pod(facts, specs)
    if kind == "module-not-built":
        builds = {fact.value("build") for fact in stated}
        tried = bool(builds - {None}) and "headers" not in builds  # without headers nothing is compiled
        return build_again(facts, specs) if tried else build_module(facts, specs)
    built = build_module(facts, specs)
    if kind == "module-not-inserted":
        if any(_NO_DEVICE in fact.text.lower() for fact in stated):
            return drives_no_gpu(facts, specs)
        built = built[:1]
    return (*built, fix(specs, "nvidia", "read-why-not-loaded"))


def _from_programs(facts: Facts, specs: Specs) -> Problems:
    """Judge messages that look the same without a driver, in a container, and on an AMD machine."""
    stated = facts.stated("torch-found-no-driver", "nvml-library-absent")
    absent = facts.stated("device-nodes-absent")
    if not facts.live and around.sees_no_gpu(facts) and not facts.first("device-node-listed") and _all_nodes(absent):
        stated += absent
    without_tools = _without_tools(facts)
    answers = around.driver_version(facts) or facts.stated(
        "smi-works-said", "host-driver-answers", "gpu-answers-program"
    )
    if not (stated or without_tools) or answers or around.amd_seen(facts) or facts.on_wsl:
        return
    applies(not in_container(facts), "a container is involved")
    need(
        True if facts.seen("nvidia") else None,
        "whether an NVIDIA GPU is in this machine, and what nvidia-smi says",
    )
    title = (
        "No NVIDIA driver is loaded"
        if stated
        else ("The NVIDIA driver is not installed here, or its tools are missing")
    )
    yield Problem(title=title, evidence=quoted((*stated, *without_tools)), remedies=(first_driver(facts, specs),))


def _without_tools(facts: Facts) -> tuple[Fact, ...]:
    """Return facts that nvidia-smi is missing where the driver would install it: not on Jetson or Kubernetes."""
    if facts.live or facts.host.system == "windows" or around.on_jetson(facts) or is_kubernetes(facts):
        return ()
    return facts.stated("smi-not-found")


def _all_nodes(absent: tuple[Fact, ...]) -> bool:
    """Return whether the driver's own nodes are missing (/dev/nvidiactl), not only those of some GPU."""
    names = {fact.value("name") or "" for fact in absent}
    return any(name in ("/dev/nvidiactl", "/dev/nvidia*", "/dev/nvidia") for name in names)
