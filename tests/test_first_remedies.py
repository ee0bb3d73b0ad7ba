"""The first remedy of every fault is an act, or there is a stated reason why not.

An act      a command of which at least one step changes something
A request   somebody else does it
A question  the remedy is a look, and the answer calls it "next" and not "fix"
By hand     no command, and specs/language/remedies.yaml says of its words why there is none

Over every fault that a case of any check finds. PRINTS holds the checks whose first remedy says that it mends while its
command only prints, BARE those with neither a command nor a reason: each is to become one of the above, none is added.
"""

from collections.abc import Iterator

from every_case import every_case, registry

from accel.model.diagnosis import Finding, Remedy
from accel.remedies.actions import Inspect, actions_of

PRINTS: frozenset[str] = frozenset(
    (
        "amdgpu-page-fault",
        "architecture-asked-of-absent-gpu",
        "card-on-other-numa-node",
        "container-cgroup-denied",
        "container-engine-unable",
        "cuda-math-declared-otherwise",
        "dcgm-profiling-unavailable",
        "dcgm-test-failed",
        "device-firmware-missing",
        "device-holder-stuck",
        "device-memory-without-owner",
        "device-request-refused",
        "devices-hidden",
        "display-watchdog-timeout",
        "driver-not-loaded",
        "driver-too-old",
        "edge-device-not-found",
        "fabric-manager-not-running",
        "fp8-unsupported",
        "framework-library-missing",
        "grid-driver-without-vgpu",
        "host-memory-error",
        "host-memory-limit",
        "image-not-handed-over",
        "image-refuses-this-gpu",
        "intel-compute-driver-aborted",
        "intel-gpu-unhealthy",
        "intel-gpu-without-driver",
        "jax-plugin-mismatch",
        "known-library-fault",
        "memory-pressure",
        "mig-instances-refused",
        "mps-graph-failed",
        "mps-out-of-memory",
        "musa-device-not-found",
        "name-not-in-release",
        "network-card-failing",
        "no-free-devices",
        "node-offers-no-devices",
        "npu-container-without-devices",
        "npu-number-format-unsupported",
        "npu-torch-npu-too-old",
        "nvlink-errors",
        "openmp-loaded-twice",
        "operator-not-on-device",
        "package-requirement-unmet",
        "package-source-unusable",
        "pod-devices-insufficient",
        "processors-far-from-device",
        "ptxas-too-old",
        "slurm-gres-misconfigured",
        "system-library-missing",
        "system-packages-conflict",
        "tensorrt-llm-parts-unlike",
        "tpu-device-permission",
        "tpu-libtpu-mismatch",
        "vgpu-not-started",
        "wheel-not-in-index",
    )
)
BARE: frozenset[str] = frozenset(
    (
        "cuda-library-missing",
        "device-holder-stuck",
        "device-start-failed",
        "disk-errors",
        "driver-call-hangs",
        "driver-not-loaded",
        "enflame-unhealthy",
        "environment-of-another-python",
        "extension-built-for-other-torch",
        "fabric-link-missing",
        "fabric-mtu-unlike",
        "file-system-turned-read-only",
        "gaudi-interfaces-taken",
        "gpu-arch-not-in-build",
        "gpu-recovery-needed",
        "iluvatar-uncorrectable-ecc",
        "jax-cudnn-too-old",
        "known-driver-fault",
        "known-library-fault",
        "kunlun-uncorrectable-ecc",
        "library-error",
        "library-not-found",
        "mac-without-cuda",
        "metax-double-bit-ecc",
        "mps-operator-missing",
        "nccl-set-up-wrong",
        "nodes-network-unlike",
        "nodes-settings-unlike",
        "npu-cann-kernels-missing",
        "npu-cann-too-old",
        "npu-chip-not-supported",
        "nvlink-errors",
        "nvswitch-fault",
        "other-version-works",
        "package-requirement-unmet",
        "pod-selector-matches-no-node",
        "program-xid",
        "rocm-on-wsl",
        "service-failed",
        "slurm-gres-misconfigured",
        "static-tls-exhausted",
        "symbol-not-found",
        "unified-memory-na",
        "windows-device-stopped",
    )
)


def first_remedies() -> Iterator[tuple[Finding, Remedy]]:
    for case in every_case():
        for finding in case.diagnosis.findings:
            if finding.severity != "info" and finding.remedies:
                yield finding, finding.remedies[0]


def only_prints(remedy: Remedy) -> bool:
    """Whether a remedy that says it mends has a command of which no step changes anything."""
    actions = actions_of(remedy.command, registry().specs)
    return remedy.kind == "mend" and bool(actions) and all(isinstance(one, Inspect) for one in actions)


def reason(remedy: Remedy) -> str | None:
    """Return why a remedy that mends has no command; None where nothing says."""
    rows = (registry().specs.table("language/remedies") or {}).get("uncommanded", ())
    said = remedy.text.lower()
    return next((row["why"] for row in rows if any(word in said for word in row["words"])), None)


def test_no_first_remedy_claims_to_mend_and_only_prints() -> None:
    found = {finding.name for finding, remedy in first_remedies() if only_prints(remedy)}
    assert sorted(found - PRINTS) == []
    assert sorted(PRINTS - found) == []


def test_a_first_remedy_without_a_command_has_a_reason() -> None:
    bare = [(finding.name, one) for finding, one in first_remedies() if one.kind == "mend" and one.command is None]
    found = {name for name, one in bare if reason(one) is None}
    assert sorted(found - BARE) == []
    assert sorted(BARE - found) == []


def test_every_fault_has_a_first_remedy() -> None:
    without = {
        finding.name
        for case in every_case()
        for finding in case.diagnosis.findings
        if finding.severity != "info" and not finding.remedies
    }
    assert without == set()


def test_most_first_remedies_are_acts_with_a_command() -> None:
    mends = [remedy for _, remedy in first_remedies() if remedy.kind == "mend"]
    acts = [one for one in mends if one.command is not None and not only_prints(one)]
    assert len(acts) >= 0.7 * len(mends)


def test_what_prints_is_told_from_what_changes() -> None:
    assert only_prints(Remedy(text="Update it.", command="docker version; ldd --version"))
    assert not only_prints(Remedy(text="Raise it.", command="ulimit -n 65536"))
    assert not only_prints(Remedy(text="See it.", command="nvidia-smi", kind="look"))
    assert not only_prints(Remedy(text="Take the node out.", command="kubectl drain NODE"))
    assert reason(Remedy(text="Do better.")) is None
