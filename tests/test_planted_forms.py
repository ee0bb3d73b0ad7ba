"""Secrets and people in every form that pastes have: at most one in fifty is shown, and what is useful stays."""

from typing import Any

import corpus
import pytest
from every_case import registry
from hypothesis import given, settings
from hypothesis import strategies as st
from planting import left, planted

from accel.apps.privacy.numbers import is_card, is_iban, is_identity
from accel.apps.privacy.redact import redacted
from accel.apps.privacy.texts import redacted_texts
from accel.collect.text import read_texts
from accel.diagnose.engine import diagnose
from accel.facts.infer import infer
from accel.model.codec import encode_snapshot
from accel.model.diagnosis import Diagnosis
from accel.model.environment import Environment
from accel.model.errors import BadInput
from accel.model.observation import Command, Complaint
from accel.model.snapshot import Snapshot

SEEDS = (7, 1117)
WANTED = 0.98  # of the texts


def shown(text: str) -> str:
    return redacted_texts([text])[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_of_500_planted_texts_98_percent_show_nothing(seed: int) -> None:
    texts = list(planted(seed))
    leaks = [(hidden, text) for text, hidden in texts if left(shown(text), hidden)]
    assert len(texts) >= 500
    assert len(leaks) <= (1 - WANTED) * len(texts), leaks


@pytest.mark.parametrize("seed", SEEDS)
def test_of_500_planted_texts_98_percent_show_nothing_where_a_snapshot_quotes_them(seed: int) -> None:
    def quoted(text: str) -> str:
        return redacted(Snapshot(observations=(Complaint(text=text, form="words"),))).observations[0].text

    texts = list(planted(seed))
    leaks = [(hidden, text) for text, hidden in texts if left(quoted(text), hidden)]
    assert len(leaks) <= (1 - WANTED) * len(texts), leaks


def test_nothing_is_left_where_a_text_is_read_and_saved() -> None:
    for text, hidden in list(planted(SEEDS[0], draws=1))[::12]:
        try:
            snapshot = read_texts([("report", shown(f"$ nvidia-smi -L\n{text}\n"))], registry())
        except BadInput:
            continue
        saved = encode_snapshot(redacted(snapshot))
        assert left(saved, hidden) == [] or left(shown(text), hidden), text


@pytest.mark.parametrize("seed", SEEDS)
def test_a_redacted_text_keeps_its_lines_and_stays_as_it_is(seed: int) -> None:
    for text, _ in planted(seed, draws=1):
        once = shown(text)
        assert once.count("\n") == text.count("\n"), text
        assert shown(once) == once, text


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "TOKEN",
                "=",
                ": ",
                '"',
                "'",
                "\n",
                "jdoe7",
                "@",
                "box7",
                ":~$ ",
                "10.1.2.3",
                "/home/",
                " ",
                "-p ",
                "密码",
                "abc12",
                "name",
            ]
        ),
        max_size=30,
    )
)
def test_any_text_keeps_its_lines(parts: list[str]) -> None:
    text = "".join(parts)
    assert shown(text).count("\n") == text.count("\n")


def test_equal_values_stay_equal_and_others_differ() -> None:
    first, second = redacted_texts(
        ["jdoe7@bigbox7:~$ ls /home/olgab/x\nping 10.1.2.3 10.1.2.4\n", "the job of jdoe7 at 10.1.2.3 in /home/olgab"]
    )
    assert first == "user-1@host-1:~$ ls /home/user-2/x\nping 192.0.2.1 192.0.2.2\n"
    assert second == "the job of user-1 at 192.0.2.1 in /home/user-2"


def test_a_secret_that_is_named_once_is_removed_everywhere() -> None:
    told = shown("curl -H 'x: Zq81kkWpQ' http://127.0.0.1\nexport MY_TOKEN=Zq81kkWpQ\n")
    assert "Zq81kkWpQ" not in told


def test_a_placeholder_of_an_earlier_redaction_is_given_to_nobody_else() -> None:
    assert shown("host-1 192.0.2.1 user-1\nssh jdoe7@bigbox7\nping 10.1.2.3") == (
        "host-1 192.0.2.1 user-1\nssh user-2@host-2\nping 192.0.2.2"
    )


@pytest.mark.parametrize(
    ("name", "value", "safe"),
    [
        ("CUDA_X_KEY", "swordfish", "<redacted>"),
        ("NCCL_PW", "hunter2x", "<redacted>"),
        ("VLLM_EXTRA", '{"api_key": "zz9top8", "lr": 1}', '{"api_key": "<redacted>", "lr": 1}'),
        ("NCCL_DEBUG_FILE", "/scratch/olgab/x.log", "/scratch/user-1/x.log"),
        ("HF_HOME", "/scratch/models", "/scratch/models"),
        ("CUDA_VISIBLE_DEVICES", "0,1", "0,1"),
        ("NVIDIA_REQUIRE_CUDA", "cuda>=12.1 driver>=470", "cuda>=12.1 driver>=470"),
        ("MODEL_AUTH", "basic", "basic"),
    ],
)
def test_a_variable_of_this_machine_is_read_with_its_name(name: str, value: str, safe: str) -> None:
    found = redacted(Snapshot(environments=(Environment(variables=((name, value),)),)))
    assert found.environments[0].variables == ((name, safe),)


def test_a_command_is_read_with_its_variables_and_the_words_after_its_options() -> None:
    command = Command(
        text="docker login",
        tool="docker",
        verb="login",
        options=("-u=olgab", "-e=A_TOKEN=qq7rr8ss", "-p"),
        operands=("hunter2x",),
        variables=(("X_SECRET", "m0nster9"),),
    )
    (found,) = redacted(Snapshot(observations=(command,))).observations
    assert isinstance(found, Command)
    assert [word for word in ("qq7rr8ss", "hunter2x", "m0nster9") if word in repr(found)] == []


@pytest.mark.parametrize("number", ["11010519491231002X", "440301196001011239"])
def test_an_identity_number_has_a_check_digit(number: str) -> None:
    wrong = number[:-1] + ("1" if number[-1] != "1" else "2")
    assert is_identity(number) or number != "11010519491231002X"
    assert not (is_identity(number) and is_identity(wrong))


def test_cards_and_bank_accounts_have_check_digits() -> None:
    assert is_card("4539 1488 0343 6467")
    assert not is_card("4539 1488 0343 6468")
    assert is_iban("DE89 3704 0044 0532 0130 00")
    assert not is_iban("DE89 3704 0044 0532 0130 01")


def judged_as(snapshot: Snapshot, diagnosis: Diagnosis | None = None) -> Any:
    """Return what accel knows and finds, without the names in it."""
    known = registry()
    diagnosis = diagnosis or diagnose(snapshot, known.specs, known.checks, known.rules)
    facts, _ = infer(snapshot, known.specs, known.rules)
    return (
        diagnosis.verdict,
        [(f.code, f.severity, f.is_cause, len(f.remedies)) for f in diagnosis.findings],
        sorted((fact.name, fact.status, fact.line or 0) for fact in facts),
        [(d.id, d.name, d.memory_total_bytes) for report in snapshot.reports for d in report.devices],
        [(p.name, p.version) for environment in snapshot.environments for p in environment.packages or ()],
    )


@pytest.mark.slow
@pytest.mark.skipif(not corpus.IS_THERE, reason="ACCEL_CORPUS names no folder of reports")
@pytest.mark.parametrize("part", range(5))
def test_a_redacted_text_tells_the_same_facts_and_findings(part: int) -> None:
    for path in (*corpus.reports(), *corpus.outputs())[part::5]:
        text = corpus.text_of(path)
        safe, whole = shown(text), corpus.judged(path)
        if safe != text and whole is not None:
            again = read_texts([("report", safe)], registry())
            told = judged_as(*whole)
            assert judged_as(again) == told, path
            assert (twice := redacted(again)) == again or judged_as(twice) == told, path
