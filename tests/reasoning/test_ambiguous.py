"""An error with several possible causes leaves them open, with what decides; the deciding fact closes it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from accel.apps.cli.doctor import exit_code
from accel.apps.explain import explain
from accel.collect.live import judged
from accel.collect.text import read_texts
from accel.facts.properties import PROPERTIES
from accel.model.dataclass import field_names
from accel.model.diagnosis import Diagnosis
from accel.model.environment import Framework
from accel.plugins.registry import Registry
from accel.specs.store import parse

REGISTRY = Registry({})
CASES: dict[str, dict[str, Any]] = parse(str(Path(__file__).parent / "ambiguous.yaml"))
ROWS: dict[str, Any] = dict(REGISTRY.specs.ambiguous["rows"])


def diagnosed(text: str) -> Diagnosis:
    return judged(read_texts([("r", text)], REGISTRY), REGISTRY)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "open" in case])
def test_an_error_alone_leaves_its_causes_open(name: str) -> None:
    diagnosis = diagnosed(CASES[name]["text"])
    (one,) = diagnosis.ambiguous_causes
    assert {candidate.name for candidate in one.candidates} >= set(CASES[name]["open"])
    if "first" in CASES[name]:
        assert one.candidates[0].name == CASES[name]["first"]
    assert all(candidate.decides for candidate in one.candidates)
    assert any(candidate.look for candidate in one.candidates)
    assert diagnosis.verdict != "clear"


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "decided" in case])
def test_the_deciding_fact_leaves_nothing_open(name: str) -> None:
    diagnosis = diagnosed(CASES[name]["text"])
    causes = [finding.name for finding in diagnosis.findings if finding.is_cause and finding.severity != "info"]
    assert causes[0] == CASES[name]["decided"]
    assert diagnosis.ambiguous_causes == ()


def test_an_error_of_another_rank_that_the_program_made_leaves_nothing_open() -> None:
    diagnosis = diagnosed(
        "node1: ncclRemoteError: A call failed possibly due to a network error or a remote process exiting.\n"
        "node2: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of "
        "79.15 GiB of which 1.10 GiB is free.\n"
    )
    assert [finding.name for finding in diagnosis.findings] == ["gpu-memory-full"]
    assert diagnosis.ambiguous_causes == ()


def test_an_error_that_nothing_names_and_that_is_left_open_ends_undecided() -> None:
    snapshot = read_texts([("r", CASES["cuda-46-alone"]["text"])], REGISTRY)
    diagnosis = judged(snapshot, REGISTRY)
    assert (diagnosis.verdict, diagnosis.unexplained) == ("undecided", ())
    assert exit_code(diagnosis, snapshot, "warning") == 3


def test_a_cause_that_a_fact_rules_out_is_no_candidate() -> None:
    text = (
        "CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected\n"
        "$ nvidia-smi -L\nGPU 0: NVIDIA A16 (UUID: GPU-a16a16a1-0000-4000-8000-000000000016)\n"
    )
    (one,) = diagnosed(text).ambiguous_causes
    assert "driver-not-loaded" not in {candidate.name for candidate in one.candidates}


def test_a_word_beside_the_error_is_no_deciding_fact() -> None:
    text = CASES["nccl-watchdog-alone"]["text"]
    assert (
        diagnosed(text + "\nThe cluster has InfiniBand.\n").ambiguous_causes == diagnosed(text).ambiguous_causes != ()
    )


@pytest.mark.parametrize("name", ROWS)
def test_a_row_names_facts_errors_and_checks_that_exist(name: str) -> None:
    facts = {*REGISTRY.specs.inference["facts"], *(fact for rule in REGISTRY.rules for fact in rule.gives)}
    checks = {word for check in REGISTRY.checks for word in (check.name, check.family)}
    row = ROWS[name]
    for identity in row["seen"]:
        kind, _, rest = identity.partition(".")
        if kind == "error":
            domain, _, code = rest.partition(":")
            assert REGISTRY.specs.errors.row(domain, code), identity
        else:
            assert kind in ("line", "layer") or identity in facts, identity
    assert len(row["causes"]) > 1
    for cause in row["causes"]:
        assert cause.get("finding") is None or cause["finding"] in checks, cause
        conditions = (cause.get("for", ()), cause.get("against", ()), row.get("settled", ()), row.get("when", ()))
        for word in _terms(conditions):
            assert _is_known(word.removeprefix("not "), facts, checks), word


def _terms(queries: Any) -> Iterator[str]:
    for one in queries:
        yield from (one,) if isinstance(one, str) else _terms(one)


@pytest.mark.parametrize(
    "name", [name for name, row in REGISTRY.specs.causes.items() if "for" in row or "against" in row]
)
def test_what_speaks_for_or_against_a_finding_names_facts_that_exist(name: str) -> None:
    facts = {*REGISTRY.specs.inference["facts"], *(fact for rule in REGISTRY.rules for fact in rule.gives)}
    checks = {word for check in REGISTRY.checks for word in (check.name, check.family)}
    row = REGISTRY.specs.causes[name]
    for word in _terms((row.get("for", ()), row.get("against", ()))):
        assert _is_known(word.removeprefix("not "), facts, checks), word


def _is_known(word: str, facts: set[str], checks: set[str | None]) -> bool:
    if (
        word == "accelerators"
        or word.startswith(("accelerators.", "host.", "unlisted.", "use.", "variable."))
        or ".devices" in word
    ):
        return True
    if word.startswith("framework."):
        _, name, field = word.partition("=")[0].split(".")
        return bool(REGISTRY.specs.frameworks(name)) and field in field_names(Framework)
    if word[0] == "@":
        return word in PROPERTIES
    if word.startswith("clear."):
        return word.removeprefix("clear.") in checks
    return word.removeprefix("fact.").partition(".")[0] in {*facts, "spoken-of"}


def test_the_only_cause_that_remains_and_has_something_for_it_is_the_finding() -> None:
    diagnosis = diagnosed(
        "CUDAExecutionProvider is missing on my RTX 3080\n"
        ">>> onnxruntime.get_available_providers()\n['AzureExecutionProvider', 'CPUExecutionProvider']\n"
    )
    assert [finding.name for finding in diagnosis.findings] == ["accelerator-unused"]
    assert diagnosis.ambiguous_causes == ()


@pytest.mark.parametrize(
    ("text", "name", "ruled_out"),
    [
        (
            "Ultralytics YOLOv8.1.39 Python-3.11.6 torch-2.2.2+cpu\n"
            'File "C:\\aimbot\\run.py", line 71, in <module>\nПочему программа не находит CUDA?\n',
            "torch-cpu-build-on-gpu-machine",
            "the driver does not answer",
        ),
    ],
    ids=["build-for-the-cpu"],
)
def test_a_concluded_finding_says_what_the_text_rules_out(text: str, name: str, ruled_out: str) -> None:
    (finding,) = diagnosed(text).findings
    assert finding.name == name
    assert finding.remedies
    assert ruled_out in (finding.detail or "")


def test_a_cause_that_only_the_lack_of_others_speaks_for_is_no_finding() -> None:
    diagnosis = diagnosed(
        "Collecting environment information...\nPyTorch version: 2.4.0\nIs CUDA available: False\n"
        "CUDA used to build PyTorch: 12.1\nOS: Ubuntu 22.04.4 LTS\n"
        "GPU models and configuration: GPU 0: NVIDIA TITAN Xp\nNvidia driver version: 550.54\na reboot did not help\n"
        "torch.cuda.is_available() is False, why?\n"
    )
    assert diagnosis.findings == ()
    assert diagnosis.verdict == "undecided"
    assert diagnosis.ambiguous_causes


def test_what_speaks_for_a_cause_puts_it_first_and_is_quoted() -> None:
    (one,) = diagnosed(
        "nvidia-smi -L\nGPU 0: NVIDIA A16 (UUID: GPU-a16a16a1-0000-4000-8000-000000000016)\n"
        "$ CUDA_VISIBLE_DEVICES=GPU-a16a16a1 python demo.py\nCUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected\n"
    ).ambiguous_causes
    assert one.candidates[0].name == "devices-hidden"
    assert one.candidates[0].supports == ("“$ CUDA_VISIBLE_DEVICES=GPU-a16a16a1 python demo.py” (line 3)",)
    assert not any(other.supports for other in one.candidates[1:])


def test_windows_and_a_text_without_a_word_of_containers_rule_the_container_out() -> None:
    text = "RuntimeError: No CUDA GPUs are available"
    names = {c.name for one in diagnosed(text).ambiguous_causes for c in one.candidates}
    assert "container-without-gpu" in names
    for surroundings in ("Windows 11 Pro, C:\\app\\run.py\n", "Ubuntu 22.04.4 LTS, Linux 6.8.0-45-generic x86_64\n"):
        (one,) = diagnosed(surroundings + text).ambiguous_causes
        assert "container-without-gpu" not in {c.name for c in one.candidates}
        assert any("no container is mentioned" in words for words in one.excluded)
    (one,) = diagnosed("Docker on Ubuntu 22.04.4 LTS\n" + text).ambiguous_causes
    assert "container-without-gpu" in {c.name for c in one.candidates}


@pytest.mark.parametrize(
    ("text", "makers", "foreign"),
    [
        (
            "Blender: No compatible GPUs found for Cycles. GPU: AMD Radeon RX 6600, Fedora Linux 39",
            ("1002",),
            ("nvidia", "npu-smi"),
        ),
        ("My program does not use the RTX 3060, Ubuntu 22.04", ("nvidia-smi",), ("rocm", "amdgpu")),
        ("vllm: the Ascend 910B is not used, it runs on the CPU only", ("npu-smi",), ("nvidia", "rocm")),
    ],
)
def test_only_the_tools_of_the_makers_device_are_asked_for(
    text: str, makers: tuple[str, ...], foreign: tuple[str, ...]
) -> None:
    (one,) = diagnosed(text).ambiguous_causes
    asked = " ".join(filter(None, (one.command, *(c.look for c in one.candidates))))
    assert all(word in asked for word in makers)
    assert [word for word in foreign if word in asked] == []


@pytest.mark.parametrize(
    "text",
    [
        "the second graphics card is not recognized any more",
        "Почему программа не находит CUDA?",
        "GPU が認識されない",
        "Die Grafikkarte wird nicht erkannt",
        "识别不到显卡",
        "The inference on the GPU becomes very slow after an hour.",
        "The training freezes with 100 % GPU utilization on four GPUs.",
        "There are no the AMD GPU devices found.",
        "the widget-driver failed with error 41",
    ],
)
def test_trouble_in_plain_words_is_a_question_with_causes_and_a_way_to_tell_them_apart(text: str) -> None:
    diagnosis = diagnosed(text)
    (one,) = diagnosis.ambiguous_causes
    assert diagnosis.verdict == "undecided"
    assert len(one.candidates) > 1
    assert all(candidate.decides for candidate in one.candidates)
    assert [question.topic for question in diagnosis.open_questions if question.causes] == ["cause"]


def test_a_persons_words_about_an_error_are_part_of_its_question() -> None:
    diagnosis = diagnosed(
        "Since yesterday CUDA does not work, what can I do?\n\n"
        "RuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment\n"
    )
    assert [question.topic for question in diagnosis.open_questions if question.topic in ("cause", "error")] == [
        "cause"
    ]


@pytest.mark.parametrize("asked", ["cuda 999", "cuda 802", "nccl 2", "exit 137", "507033", "hsa 0x1008"])
def test_explain_gives_the_causes_of_an_error_with_what_decides(asked: str) -> None:
    usual = [one for answer in explain(asked, REGISTRY) for one in answer.usual]
    assert len(usual) > 1
    assert all(one.decides for one in usual)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("torch.OutOfMemoryError: XPU out of memory. Tried to allocate 2.00 GiB.", set()),
        (
            'time=2025-09-20T07:16:49Z level=INFO source=gpu.go:396 msg="no compatible GPUs were discovered"',
            {"feature-not-in-build", "driver-not-loaded", "container-without-gpu", "devices-hidden"},
        ),
    ],
    ids=["another-makers-memory", "no-torch"],
)
def test_causes_of_another_program_or_maker_are_no_candidates(text: str, names: set[str]) -> None:
    assert {candidate.name for one in diagnosed(text).ambiguous_causes for candidate in one.candidates} == names


def test_faults_of_programs_and_of_each_maker_of_the_first_rank_have_their_usual_causes() -> None:
    blocks = ("AC06", "AC07", "AC08", "AC09", "AS0", "TP0", "AM0", "IN0", "AP0", "NV05", "NV11", "NV12", "NV13")
    told = [check.name for check in REGISTRY.checks if check.code.startswith(blocks)]
    known = [name for name in told if name in REGISTRY.specs.causes]
    assert len(known) > 100
    missing = {check.name for check in REGISTRY.checks if "AC060" <= check.code <= "AC094"} - set(REGISTRY.specs.causes)
    assert missing == set()


def test_explain_gives_of_each_code_of_each_table_its_source_and_its_causes_or_what_shows_more() -> None:
    errors = REGISTRY.specs.errors
    told = {
        f"{domain} {code}": explain(f"{domain} {code}", REGISTRY)
        for domain in errors.domains
        for code in errors.codes_of(domain)
    }
    assert len(told) > 1600
    assert [asked for asked, answers in told.items() if not answers or answers[0].source is None] == []
    assert [asked for asked, answers in told.items() if not (answers[0].usual or answers[0].steps)] == []
