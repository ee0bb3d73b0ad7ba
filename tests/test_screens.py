"""What a person reads first, word for word: a healthy machine, a sick one, a pasted error, what is open, what failed.

The screens are in screens/<name>.<columns>.txt: written with ACCEL_UPDATE_GOLDEN=1 in the environment, then read. The
terminal shows the same: tests/test_page.py.
"""

import os
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from accel.apps.render.diagnosis_text import diagnosis_view
from accel.apps.render.page import lines_of
from accel.diagnose.engine import diagnose
from accel.diagnose.open_questions import open_questions
from accel.model.device import Device, Gap
from accel.model.diagnosis import (
    AmbiguousCauses,
    Candidate,
    Clear,
    Diagnosis,
    Evidence,
    Finding,
    Look,
    Mention,
    NotApplicable,
    Proof,
    Remedy,
    Undecided,
    Unexplained,
)
from accel.model.environment import Environment, Framework
from accel.model.report import Driver, Report
from accel.model.snapshot import Host, Snapshot
from accel.model.wiring import Link
from accel.specs import load

SCREENS = Path(__file__).parent / "screens"
LOG = "kernel log"
REFUSED = Gap(
    fact=LOG, reason="/dev/kmsg: Operation not permitted; on the host:  sudo dmesg > kernel.txt && …", source=LOG
)
GPUS = tuple(
    Device(
        id=f"nvidia:{n}",
        index=n,
        backend="nvidia",
        vendor="NVIDIA",
        kind="gpu",
        name="NVIDIA H100 80GB HBM3",
        temperature_celsius=35.0 + n,
    )
    for n in range(8)
)
LINKS = tuple(Link(one=one.id, other=other.id, path="NV18") for one, other in combinations(GPUS, 2))
NVML = Report(
    backend="nvidia",
    source="nvml",
    driver=Driver(version="570.124.06", toolkit_version="12.8"),
    devices=GPUS,
    links=LINKS,
)
TORCH = Environment(
    python_version="3.11.7",
    python_executable="/home/ann/venv/bin/python",
    complete=True,
    frameworks=(Framework(name="torch", version="2.9.1+cu128", built_for="cuda", cuda_version="12.8"),),
)
NODE = Snapshot(
    host=Host(system="linux", distribution="Ubuntu 22.04.4 LTS", kernel="5.15.0-105-generic"),
    reports=(NVML,),
    environments=(TORCH,),
)
TEXT = Snapshot(origin="/home/ann/report.txt", host=Host(system="linux"))
CLEAR = tuple(
    Clear(code=code, name=name, layer="driver")
    for code, name in (("NV001", "driver-too-old"), ("NV051", "gpu-arch-not-in-build"))
)
WELL = Diagnosis(verdict="clear", clear=CLEAR, devices=GPUS)
WAITING = tuple(Undecided(code=f"NV02{n}", name=f"log-{n}", wants=(LOG,)) for n in range(9))

REMAP = Finding(
    code="NV024",
    name="gpu-row-remap-failed",
    severity="error",
    title="nvidia:6 could not remap a bad memory row",
    layer="hardware",
    devices=("nvidia:6",),
    evidence=(Evidence(fact="nvidia:6 remap_failed", value="yes"),),
    remedies=(
        Remedy(
            text="Take the GPU out of use (a reset does not cure this) and send the board to service.",
            command="sudo nvidia-bug-report.sh",
            action="service",
            kind="ask",
            request="To: the service of the board's maker or seller\nAbout: nvidia:6 could not remap a bad memory row",
        ),
    ),
    verification=Proof(
        text="The board was replaced: Remapping Failure Occurred is No.", command="nvidia-smi -q -d ROW_REMAPPER"
    ),
)
ECC = Finding(
    code="NV021",
    name="gpu-ecc-uncorrectable",
    severity="error",
    title="nvidia:0–7 had 1 to 3 uncorrected memory errors since the driver was loaded",
    layer="hardware",
    devices=tuple(device.id for device in GPUS),
    evidence=(Evidence(fact="ecc_uncorrected_volatile", value="1 on nvidia:0–3; 3 on nvidia:4–7"),),
    remedies=(
        Remedy(
            text="End the programs on these GPUs and reset them.",
            command="\n".join(f"sudo nvidia-smi --gpu-reset -i {n}" for n in range(8)),
            action="reset",
        ),
        Remedy(text="Look at the counts.", command="nvidia-smi -q -d ECC", kind="look"),
        Remedy(text="If it recurs after the reset, have the board replaced.", action="service", kind="ask"),
    ),
    verification=Proof(text="accel doctor no longer reports it.", command="accel doctor"),
)
CAPPED = Finding(
    code="NV033",
    name="power-capped",
    severity="warning",
    title="nvidia:3 is limited to 300 W; its default is 700 W",
    detail="Its clocks stay low under load",
    devices=("nvidia:3",),
    evidence=(Evidence(fact="power_limit_watts", value="300"),),
    explained_by=("gpu-ecc-uncorrectable",),
    is_cause=False,
    remedies=(Remedy(text="Restore the default.", command="sudo nvidia-smi -i 3 -pl 700", action="admin"),),
)
OLD = Finding(
    code="NV001",
    name="driver-too-old",
    severity="error",
    title="The driver supports CUDA 10.1, older than what the program was built for",
    evidence=(
        Evidence(
            fact="driver-too-old-said",
            value="The NVIDIA driver on your system is too old (found version 10010). "
            "Please update your GPU driver by downloading and installing a new version from the address",
            line=3,
        ),
        Evidence(
            fact="driver-too-old-said",
            value="The NVIDIA driver on your system is too old (found version 10010).",
            line=9,
        ),
    ),
    remedies=(Remedy(text="A newer driver is needed. Install it, then reboot.", action="admin"),),
    verification=Proof(text="nvidia-smi prints a CUDA version not below that of the build.", command="nvidia-smi"),
)
NOTE = Finding(
    code="AC082",
    name="tensors-unlike",
    severity="info",
    title="The program multiplies tensors of unlike shapes",
    layer="application",
    evidence=(
        Evidence(fact="tensors-unlike", value="RuntimeError: mat1 and mat2 shapes cannot be multiplied", line=2),
    ),
)
OPEN = AmbiguousCauses(
    line=4,
    text="RuntimeError: CUDA error: unknown error",
    candidates=(
        Candidate(
            code="NV022",
            name="gpu-xid",
            title="the GPU failed",
            decides="the kernel log has an Xid",
            look="sudo dmesg -T | grep -i xid",
        ),
        Candidate(code="NV015", name="cuda-forked", title="CUDA was used before the process forked"),
    ),
)

SCENES: dict[str, tuple[Diagnosis, Snapshot]] = {
    "healthy-node": (WELL, NODE),
    "healthy-node-as-a-user": (
        replace(WELL, verdict="undecided", undecided=WAITING, gaps=(REFUSED,)),
        replace(NODE, host=replace(NODE.host, gaps=(REFUSED,))),
    ),
    "sick-node": (Diagnosis(verdict="faults", findings=(REMAP, ECC, CAPPED), devices=GPUS), NODE),
    "one-error-of-a-text": (Diagnosis(verdict="faults", findings=(OLD,), ambiguous_causes=(OPEN,)), TEXT),
    "no-accelerator": (Diagnosis(verdict="clear", clear=CLEAR), replace(NODE, reports=())),
    "a-plugin-was-lost": (
        replace(
            WELL,
            verdict="undecided",
            gaps=(Gap(fact="plugin acme", reason="ImportError: no libacme; see  accel plugins list", backend="acme"),),
        ),
        NODE,
    ),
    "open-questions-of-a-text": (
        Diagnosis(
            verdict="undecided",
            ambiguous_causes=(OPEN,),
            unexplained=(
                Unexplained(
                    line=7,
                    text="widget failed with error 41",
                    layer="driver",
                    known="Widget error 41: no such part",
                    give=("sudo dmesg | tail -50",),
                ),
            ),
            requested_output=(
                Look(text="which GPUs the driver lists", command="nvidia-smi -L", decides=("no-accelerator",)),
            ),
        ),
        TEXT,
    ),
    "the-programs-own-error": (Diagnosis(verdict="undecided", findings=(NOTE,), clear=CLEAR), TEXT),
    "a-fault-of-the-past": (
        Diagnosis(
            verdict="clear",
            clear=CLEAR,
            mentioned=(
                Mention(
                    code="NV024",
                    name="gpu-row-remap-failed",
                    title="nvidia:6 could not remap a bad memory row",
                    status="past",
                    why="“Before the repair”",
                    line=4,
                ),
            ),
        ),
        TEXT,
    ),
    "in-a-container": (
        replace(
            WELL,
            gaps=(
                Gap(
                    fact=LOG,
                    reason="/dev/kmsg: No such file; on the host:  sudo dmesg > kernel.txt && accel doctor kernel.txt",
                ),
            ),
            not_applicable=tuple(
                NotApplicable(code=o.code, name=o.name, reason="the kernel log is its host's") for o in WAITING
            ),
        ),
        replace(NODE, host=replace(NODE.host, gaps=(REFUSED,))),
    ),
}


def scene(name: str) -> tuple[Diagnosis, Snapshot]:
    diagnosis, snapshot = SCENES[name]
    questions = open_questions(diagnosis, live=snapshot.origin == "live")
    return replace(diagnosis, open_questions=questions), snapshot


def screen(name: str, columns: int, *, verbose: bool = False, ticket: bool = False) -> str:
    diagnosis, snapshot = scene(name)
    page = diagnosis_view(diagnosis, snapshot, verbose=verbose, ticket=ticket, specs=load())
    return "".join(f"{line}\n" for one in page for line in lines_of(one.in_width(columns), columns))


@pytest.mark.parametrize("columns", [80, 40])
@pytest.mark.parametrize("name", SCENES)
def test_the_screen_is_the_one_that_was_written_first(name: str, columns: int) -> None:
    golden, shown = SCREENS / f"{name}.{columns}.txt", screen(name, columns)
    if os.environ.get("ACCEL_UPDATE_GOLDEN") == "1":
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")


def test_every_screen_is_of_a_scene() -> None:
    assert {path.name for path in SCREENS.iterdir()} == {
        f"{name}.{columns}.txt" for name in SCENES for columns in (80, 40)
    }


@pytest.mark.parametrize("name", SCENES)
def test_only_a_command_is_wider_than_the_page(name: str) -> None:
    diagnosis, snapshot = scene(name)
    for one in diagnosis_view(diagnosis, snapshot, verbose=True, ticket=True, specs=load()):
        assert one.whole or max(map(len, lines_of(one.in_width(40), 40)), default=0) <= 40


@pytest.mark.parametrize("name", SCENES)
def test_verbose_leaves_nothing_out(name: str) -> None:
    diagnosis, _ = SCENES[name]
    page = " ".join(screen(name, 1000, verbose=True).split())
    told = [finding.title for finding in diagnosis.findings]
    told += [evidence.value for finding in diagnosis.findings for evidence in finding.evidence]
    told += [one.title for one in diagnosis.mentioned]
    told += [remedy.text for f in diagnosis.findings if f.severity != "info" for remedy in f.remedies]
    told += [candidate.title for one in diagnosis.ambiguous_causes for candidate in one.candidates]
    told += [one.text for one in diagnosis.ambiguous_causes] + [one.text for one in diagnosis.unexplained]
    assert [words for words in told if words.lower() not in page.lower()] == []


def test_a_ticket_is_shown_only_where_it_is_asked_for() -> None:
    assert "About: nvidia:6" not in screen("sick-node", 80, verbose=True)
    assert "About: nvidia:6" in screen("sick-node", 80, ticket=True)


def test_nothing_at_all_is_not_called_healthy() -> None:
    first = next(diagnosis_view(diagnose(Snapshot(origin="a"), load(), []), Snapshot(origin="a"), verbose=False))
    assert first.text == "Undecided: too little is known for any check."


def test_of_a_machine_only_what_is_known_is_said() -> None:
    diagnosis, node = SCENES["healthy-node"]
    silent = tuple(replace(device, temperature_celsius=None) for device in GPUS)
    bare = replace(node, reports=(replace(NVML, driver=None, links=(), devices=silent),))
    shown = next(diagnosis_view(replace(diagnosis, clear=(), devices=silent), bare, verbose=False, specs=load()))
    assert shown.text == "No fault found: 8 × NVIDIA H100 80GB HBM3 found · no Xid in the last day"
