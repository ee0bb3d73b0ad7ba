"""What the doctor says to install is what `accel resolve` says for the same machine, and what fits it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import corpus
import pytest
from accel_ascend.model import AscendDevice
from every_case import by_check, registry
from hypothesis import given, settings
from hypothesis import strategies as st

import accel
from accel.collect.text import read_texts
from accel.diagnose.engine import diagnose
from accel.facts.questions import Facts
from accel.model.device import Device
from accel.model.diagnosis import Finding, Remedy
from accel.model.environment import Environment, Framework, Package, Toolkit
from accel.model.errors import BadInput
from accel.model.observation import Noted
from accel.model.report import Driver, Report
from accel.model.snapshot import Host, Snapshot
from accel.resolver.catalogue import catalogue_of
from accel.resolver.choose import resolve_requests
from accel.resolver.hosts import housed
from accel.resolver.nearest import nearest_minors
from accel.resolver.remedies import install, machine_of
from accel.resolver.requirements_file import read_requirements
from accel.resolver.target import Accelerator, Target, target_of
from accel.resolver.what_if import changed
from accel.specs.store import parse
from accel.text.versions import index_variant

HERE = Path(__file__).parent
MACHINES: dict[str, dict[str, Any]] = parse(str(HERE / "resolver/machines.yaml"))

OLD_CODE = ("sm_37", "sm_50")
TORCH_CPU = Framework(name="torch", version="2.4.0", variant="cpu", built_for="cpu", available=False)
TORCH_OLD = Framework(name="torch", version="1.7.1", variant="cu101", built_for="cuda", architectures=OLD_CODE)
TORCH_NEW = Framework(name="torch", version="2.14.1", variant="cu132", built_for="cuda", cuda_version="13.2")
TORCH_CUDA = Framework(name="torch", version="2.8.0", variant="cu128", built_for="cuda", available=False)
# vendor, what is broken, the sentences that were said, the finding
BROKEN: dict[str, tuple[str, Framework, tuple[str, ...], str]] = {
    "cpu build": ("nvidia", TORCH_CPU, (), "torch-cpu-build-on-gpu-machine"),
    "no code for the GPU": ("nvidia", TORCH_OLD, (), "gpu-arch-not-in-build"),
    "too new for the driver": ("nvidia", replace(TORCH_NEW, available=False), (), "driver-too-old"),
    "jax on the CPU": (
        "nvidia",
        Framework(name="jax", version="0.4.35"),
        ("jax-cuda-jaxlib-missing",),
        "jax-cpu-only-with-gpu",
    ),
    "tensorflow without CUDA": (
        "nvidia",
        Framework(name="tensorflow", version="2.17.0"),
        ("tensorflow-libraries-missing",),
        "tensorflow-cuda-mismatch",
    ),
    "CUDA build on AMD": ("amd", TORCH_CUDA, (), "cuda-torch-on-amd-machine"),
    "no XPU": ("intel", replace(TORCH_CPU, version="2.8.0"), ("torch-without-xpu",), "torch-without-xpu"),
    "no MPS": ("apple", TORCH_CPU, ("mps-not-built",), "mps-not-available"),
    "no torch_npu": ("ascend", replace(TORCH_CPU, available=None), ("torch-npu-missing",), "npu-torch-npu-missing"),
    "no libtpu": ("tpu", Framework(name="jax", version="0.6.0"), ("libtpu-not-found",), "tpu-libtpu-missing"),
}


def machine_named(name: str) -> Target:
    given_ = dict(MACHINES[name]["given"])
    start = Target(system="linux", machine="x86_64")
    return changed(start, registry().specs, **given_)


def snapshot_of(target: Target, framework: Framework | None = None, said: tuple[str, ...] = ()) -> Snapshot:
    """Return the machine as its tools would have told it, with a broken framework in it."""
    reports = []
    for vendor in dict.fromkeys(a.vendor for a in target.accelerators or ()):
        kind = AscendDevice if vendor == "ascend" else Device
        devices = tuple(
            kind(
                id=f"{vendor}:{index}",
                index=index,
                backend=vendor,
                vendor=vendor,
                kind="gpu",
                name=a.name,
                compute_capability=a.code,
                architecture=a.architecture,
            )
            for index, a in enumerate(target.of(vendor))
        )
        version, serves = target.drivers.get(vendor), target.serves.get(vendor)
        driver = Driver(version=version, toolkit_version=serves) if version or serves else None
        reports.append(Report(backend=vendor, source="test", devices=devices, driver=driver))
    if said:
        noted = tuple(Noted(fact=n, text=n) for n in said)
        reports.append(Report(backend="test", source="test", observations=noted))
    packages = ()
    if framework is not None:
        listed = (
            Package(name=f"library-{number}", version="1.0") for number in range(9)
        )  # what else is there is known
        packages = (Package(name=framework.name, version=framework.version, variant=framework.variant), *listed)
    environment = Environment(
        python_version=target.python,
        frameworks=(framework,) if framework is not None else (),
        packages=packages,
        toolkits=tuple(Toolkit(name=name, version=version) for name, version in target.stacks.items()),
    )
    host = Host(system=target.system, machine=target.machine, libc=target.libc, wsl=target.wsl)
    return Snapshot(origin="test.txt", host=host, environments=(environment,), reports=tuple(reports))


def findings_of(snapshot: Snapshot) -> tuple[Finding, ...]:
    return diagnose(snapshot, registry().specs, registry().checks).findings


JETSONS_INDEX = "pypi.jetson-ai-lab.io"


def resolved_command(framework: Framework, snapshot: Snapshot) -> str | None:
    """Return what `accel resolve` prints: for the installed release, or else for the nearest, or else for any."""
    name, version = framework.name, framework.version or ""
    target = target_of(Facts(snapshot), registry().specs)
    near = [f"{name}=={minor}.*" for minor in nearest_minors(registry().specs, name, version, None, target)]
    for asked in (f"{name}=={version}", *near, name):
        try:
            found = accel.resolve(asked, of=snapshot)
        except BadInput:
            continue
        if found.fits:
            return found.command
    return None


@pytest.mark.parametrize("broken", BROKEN)
def test_the_doctors_command_is_that_of_resolve(broken: str) -> None:
    vendor, framework, said, finding = BROKEN[broken]
    compared = 0
    for name in MACHINES:
        target = machine_named(name)
        if {a.vendor for a in target.accelerators or ()} != {vendor}:
            continue
        snapshot = snapshot_of(target, framework, said)
        found = [f for f in findings_of(snapshot) if f.name == finding]
        if not found:
            continue  # this machine is served by the build, or its driver is new enough
        compared += 1
        installs = [r for r in found[0].remedies if "install " in (r.command or "") and framework.name in r.command]
        # A board's own builds, an environment with another Python, a chip that runs its sister's code.
        elsewhere = (
            JETSONS_INDEX,
            "uv venv --python ",
            "py -3.10 -m pip",
            "HSA_OVERRIDE_GFX_VERSION=",
            "torch[device-gfx",
            "linux_aarch64.whl",
        )
        installs = [r for r in installs if not any(words in r.command for words in elsewhere)]
        expected = resolved_command(framework, snapshot)
        if expected is not None and any(words in expected for words in elsewhere):
            expected = None  # the doctor says how it is installed in the place of another
        assert [r.command for r in installs] == ([expected] if expected else []), name
        if expected is None:
            said_instead = " ".join(r.text for r in found[0].remedies)
            sister = any(words in (r.command or "") for r in found[0].remedies for words in elsewhere)
            told = ("No build of", "is needed", "WSL 2", "JetPack")
            assert sister or any(words in said_instead for words in told), name
    assert compared >= (20 if vendor == "nvidia" and finding != "driver-too-old" else 1), broken


def judged(command: str, facts: Facts) -> Iterator[tuple[str, bool]]:
    """Yield each install line of a command, and whether the resolver takes its builds for the machine."""
    specs = registry().specs
    catalogue = catalogue_of(specs)
    for line in command.split(" && "):
        python = re.match(r"uv venv --python (\S+)", line)
        if python is not None:
            facts = Facts(replace(facts.snapshot, environments=(Environment(python_version=python[1]),)))
        words = re.match(r"(?:uv )?pip install (?P<rest>.+)", line)
        if (
            words is None or JETSONS_INDEX in line or "/ascend/repos/" in line
        ):  # whose wheels are in no table of the resolver's
            continue
        lines = words["rest"].replace("'", "").replace('"', "").replace(" --index-url", "\n--index-url").split("\n")
        pinned = [word for word in lines[0].split() if "==" in word]
        target = housed(target_of(facts, specs), specs)
        if "jax-metal==" in line and target.system is None:  # the text is of a Mac, as only a Mac has the plugin
            target = replace(target, system="macos", machine="arm64")
        try:
            requests = read_requirements("\n".join([*pinned, *lines[1:]]), "command", catalogue, target)
            variant = next((r.variant for r in requests if r.variant), None) or index_variant(words["rest"])
            family = catalogue.family(catalogue.family_of_variant(variant)) if variant else None
            if family is not None and family["vendor"] != "cpu":
                mine = target.of(family["vendor"]) or (Accelerator(vendor=family["vendor"]),)
                target = replace(target, accelerators=mine)
            elif "--no-deps" in line and not target.accelerators:  # beside a torch that is there, and is of CUDA
                target = replace(target, accelerators=(Accelerator(vendor="nvidia"),))
            for name, vendor in (("torch-npu", "ascend"), ("torch-xla", "tpu"), ("onnxruntime-gpu", "nvidia")):
                if any(r.name == name for r in requests) and not target.of(vendor):
                    target = replace(target, accelerators=(Accelerator(vendor=vendor),))
            yield line, resolve_requests(specs, requests, target).fits
        except BadInput:
            continue  # what is in no table cannot be judged


def rejected(findings: Iterable[Finding], snapshot: Snapshot) -> tuple[int, list[tuple[str, str, str]]]:
    """Return how many install lines there are, and those that the resolver does not take for the machine."""
    facts = Facts(snapshot)
    told = [
        (finding.code, line, remedy.text, fits)
        for finding in findings
        for remedy in finding.remedies
        for line, fits in judged(remedy.command or "", facts)
    ]
    return len(told), [(code, line, text) for code, line, text, fits in told if not fits]


@pytest.mark.parametrize("check", sorted(by_check()))
def test_no_remedy_prints_what_the_resolver_rejects(check: str) -> None:
    cases = [case for case in by_check()[check] if case.text is not None]
    found = {case.name: rejected(case.diagnosis.findings, case.snapshot)[1] for case in cases}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.skipif(not corpus.IS_THERE, reason="ACCEL_CORPUS names no folder of reports")
def test_no_remedy_for_a_users_report_is_rejected() -> None:
    lines = 0
    for path in corpus.reports():
        snapshot, diagnosis = corpus.judged(path) or (None, None)
        assert snapshot is not None, path
        count, wrong = rejected(diagnosis.findings, snapshot)
        assert wrong == [], path
        lines += count
    assert lines > 20


@settings(max_examples=30, deadline=None)
@given(
    name=st.sampled_from(sorted(MACHINES)),
    version=st.sampled_from(["1.6.0", "1.13.1", "2.1.0", "2.4.0", "2.7.1", "2.14.1", "2.5.0.dev20240720", None]),
    variant=st.sampled_from(["cpu", "cu118", "cu126", "cu130", "rocm6.4", None]),
    again=st.booleans(),
)
def test_whatever_is_installed_the_command_fits(
    name: str, version: str | None, variant: str | None, again: bool
) -> None:
    torch = Framework(name="torch", version=version, variant=variant)
    facts = Facts(snapshot_of(machine_named(name), torch))
    remedy = install(facts, registry().specs, "torch", text="Install it", again=again)
    if remedy.command is not None:
        mine = not target_of(facts, registry().specs).accelerators  # then the installed build says whose device it is
        kept = again and variant == "cpu" and "the CPU build, as requested" in remedy.text  # beside a GPU, by choice
        posed = "HSA_OVERRIDE_GFX_VERSION=" in remedy.command  # the chip is given out as its sister, which has code
        assert all(fits for _, fits in judged(remedy.command, facts)) or mine or kept or posed
    assert remedy.text[-1] == "."


def machine_of_text(text: str) -> tuple[Facts, Target]:
    facts = Facts(read_texts([("report", text)], registry()))
    return facts, machine_of(facts, registry().specs, "nvidia")


def remedy_of(text: str, **more: Any) -> Remedy:
    facts, machine = machine_of_text(text)
    return install(facts, registry().specs, "torch", text="Install it", on=machine, **more)


COLLECTED = """\
PyTorch version: 1.13.1+cu117
Is debug build: False
CUDA used to build PyTorch: 11.7
OS: Ubuntu 22.04.3 LTS (x86_64)
Libc version: glibc-2.35
Python version: 3.10.12 (64-bit runtime)
GPU models and configuration: GPU 0: NVIDIA H100 PCIe
Nvidia driver version: 535.104.05
Versions of relevant libraries:
[pip3] torch==1.13.1+cu117
[pip3] torchvision==0.14.1+cu117
"""


def test_another_release_is_named_with_the_reason_and_its_companions() -> None:
    remedy = remedy_of(COLLECTED)
    assert remedy.command is not None
    assert "torchvision==" in remedy.command
    assert "torchaudio" not in remedy.command
    assert "torch 1.13.1 has no build that fits: torch 1.13.1+cu117 has code only for" in remedy.text
    assert "The nearest that fits is torch 2.0.1+cu118" in remedy.text
    assert "Assumed" not in remedy.text


def test_what_is_not_known_is_said() -> None:
    remedy = remedy_of("AssertionError: Torch not compiled with CUDA enabled\n")
    assert remedy.command is not None
    assert "This build is for Linux or Windows on x86-64, a GPU that it has code for, driver " in remedy.text
    assert "(to check:  python -m platform  and  nvidia-smi  and  python --version)" in remedy.text


def test_where_nothing_fits_it_says_what_to_upgrade() -> None:
    remedy = remedy_of(COLLECTED.replace("NVIDIA H100 PCIe", "NVIDIA GeForce RTX 5090").replace("535.104", "550.54"))
    assert remedy.command is None
    assert "With driver 580 or newer" in remedy.text
    assert "RTX 5090 (12.0) needs driver 570 or newer, this is 550.54" in remedy.text


def test_condas_torch_is_replaced_by_conda() -> None:
    facts, machine = machine_of_text(COLLECTED.replace("[pip3]", "[conda]").replace("+cu117", ""))
    environment = replace(
        facts.environment,
        packages=(Package(name="torch", version="1.13.1", variant="py3.10_cuda11.7_0", channel="conda"),),
        frameworks=(),
    )
    facts = Facts(replace(facts.snapshot, environments=(environment,)))
    remedy = install(facts, registry().specs, "torch", text="Install it", on=machine)
    assert (remedy.command or "").startswith("conda install pytorch")
    damaged = {"again": True, "remove": ("torch", "nvidia-nccl-cu11")}
    a100 = replace(machine, accelerators=(Accelerator(vendor="nvidia", name="A100", code="8.0"),))
    again = install(facts, registry().specs, "torch", text="Install it", on=a100, **damaged)
    assert (again.command or "").startswith("pip uninstall -y nvidia-nccl-cu11 && conda install --force-reinstall ")
    npu = replace(machine, accelerators=(Accelerator(vendor="ascend"),))
    wheel = install(facts, registry().specs, "torch", text="Install it", on=npu)
    assert (wheel.command or "").startswith("conda remove -y --force pytorch && pip install torch==")
