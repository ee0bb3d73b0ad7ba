"""`accel fit` as users start it: whole screens, exit codes, wrong arguments, simulated machines."""

import json
import os
from pathlib import Path

import pytest

import accel.testing
from accel.apps import api
from accel.apps.cli import main
from accel.footprint.config import shape_of
from accel.footprint.memory import needed
from accel.footprint.model import Plan
from accel.model.dataclass import replace
from accel.model.errors import BadInput

_HERE = Path(__file__).parent
LLAMA = {
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "torch_dtype": "bfloat16",
    "max_position_embeddings": 131072,
}
SIZES = ("--layers", "32", "--hidden", "4096", "--heads", "32", "--kv-heads", "8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "llama").mkdir()
    (tmp_path / "llama" / "config.json").write_text(json.dumps(LLAMA))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path / "llama"


_SCREENS = {
    "fits-a-product": (["llama", "--context", "8192", "--on", "RTX 4090"], 0),
    "does-not-fit": (["llama", "--context", "32768", "--batch", "4", "--on", "RTX 4070"], 1),
    "training-split": (["llama", "--train", "full", "--zero", "3", "--on", "8x A100 SXM4 80GB"], 0),
    "described": (["--params", "47B", "--active", "13B", *SIZES, "--quant", "q4_k_m", "--on", "RTX 5090"], 0),
}


@pytest.mark.parametrize("name", _SCREENS)
def test_a_screen_is_the_one_that_is_stored(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words, code = _SCREENS[name]
    assert main(["fit", *words]) == code
    shown = capsys.readouterr().out
    stored = _HERE / "screens" / f"{name}.txt"
    if os.environ.get("ACCEL_UPDATE_GOLDEN"):
        stored.write_text(shown, encoding="utf-8")
    assert shown == stored.read_text(encoding="utf-8")
    assert max(len(line) for line in shown.splitlines()) <= 80


@pytest.mark.parametrize("columns", [40, 200])
def test_all_products_are_a_table_that_fits_the_terminal(
    columns: int, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    with accel.testing.machine("2x4090"):
        assert main(["fit", "llama", "--on", "all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= columns
    own = next(n for n, line in enumerate(lines) if line.startswith("nvidia:0, "))
    head = next(n for n, line in enumerate(lines) if line.lstrip().startswith("fits "))
    assert own < head  # this machine's own line comes first
    assert len(lines) < 50


def test_a_model_that_few_products_hold_is_split_over_several(capsys: pytest.CaptureFixture[str]) -> None:
    large = ("--params", "405B", "--layers", "126", "--hidden", "16384", "--heads", "128", "--kv-heads", "8")
    with accel.testing.machine("cpu-only"):
        assert main(["fit", *large, "--on", "all"]) == 0
        rows = [line.split() for line in capsys.readouterr().out.splitlines() if " × " in line]
        assert [int(row[0]) for row in rows] == sorted(int(row[0]) for row in rows)
        assert {row[0] for row in rows} >= {"4", "8"}
        assert main(["fit", *large, "--train", "full", "--on", "all"]) == 1
        assert "--zero 3" in capsys.readouterr().out


def test_json_has_the_fullest_device_on_top(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "llama", "--context", "8192", "--tensor-parallel", "2", "--on", "2x RTX 4090", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["parameters"] == 8_030_261_248
    assert told["weights_bytes"] == 8_030_261_248
    assert told["kv_cache_bytes"] == 2**29
    parts = ("model_states_bytes", "kv_cache_bytes", "activations_bytes", "overhead_bytes")
    assert abs(sum(told[part] for part in parts) - told["total_bytes"]) <= 4
    assert told["low"] <= told["total_bytes"] <= told["high"]
    assert [one["count"] for one in told["devices"]] == [2]
    assert told["fits"] is True


@pytest.mark.parametrize(("targets", "trained"), [("query-value", 6_815_744), ("all", 41_943_040)])
def test_adapters_are_on_the_matrices_that_are_named(
    targets: str, trained: int, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["fit", "llama", "--train", "lora", "--lora-targets", targets, "--on", "RTX 4090", "--json"])
    assert json.loads(capsys.readouterr().out)["trained_parameters"] == trained


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "Give a model"),
        (["llama", "--params", "7B"], "not both"),
        (["absent"], "no such file or folder"),
        (["llama", "--on", "RTX 9999999"], "no product that accel knows"),
        (["llama", "--quant", "q9"], "no format that accel knows"),
        (["llama", "--train", "full", "--optimizer", "adamm"], "Did you mean"),
        (["--params", "seven"], "give a number of parameters"),
        (["--params", "7B", "--active", "8B"], "no more than --params"),
        (["--params", "7B", "--layers", "-3"], "1 or more"),
        (["llama", "--context", "0"], "--context is 1 or more"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_argument_is_answered_with_a_sentence(
    words: list[str], says: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fit", *words]) == 2
    assert says in capsys.readouterr().err


def test_folders_that_are_no_model_are_told_what_is_enough(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty, adapter = folder.parent / "empty", folder.parent / "adapter"
    empty.mkdir()
    adapter.mkdir()
    (adapter / "adapter_config.json").write_text('{"base_model_name_or_path": "some/model\\u001b[31m"}')
    for name, says in (
        ("empty", "accel fit --params"),
        ("adapter", "contains an adapter but not its model, some/model"),
    ):
        assert main(["fit", name]) == 2
        told = capsys.readouterr().err
        assert says in told
        assert "\x1b" not in told


def test_names_out_of_files_stay_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evil = folder.parent / "a\x1b[31mb\nc"
    evil.mkdir()
    (evil / "config.json").write_text(json.dumps({**LLAMA, "model_type": "x\x1b]0;owned\x07"}))
    assert main(["fit", str(evil), "--on", "RTX 4090"]) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "is not in accel's tables" in shown


def test_a_divided_device_is_judged_by_its_parts() -> None:
    with accel.testing.machine("h100-mig"):
        verdicts = accel.fit(LLAMA).verdicts
    assert {one.target.id for one in verdicts} >= {"nvidia:0/mig0", "nvidia:0/mig1", "nvidia:0/mig2"}
    assert "nvidia:0" not in {one.target.id for one in verdicts}
    by_id = {one.target.id: one for one in verdicts}
    half, seventh = by_id["nvidia:0/mig0"], by_id["nvidia:0/mig2"]
    assert half.fits is True
    assert seventh.fits is False
    assert half.target.bandwidth_bytes_per_second == pytest.approx(3352e9 / 2)


def test_a_power_limit_is_named_beside_the_bound(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with accel.testing.machine("2x4090"):
        capped = replace(accel.accelerators()[0], power_limit_watts=200.0)
    monkeypatch.setattr(api, "devices", lambda: (capped,))
    assert main(["fit", "llama"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "200 W" in shown
    assert "450 W" in shown


def test_a_machine_without_accelerators_is_judged_by_its_memory() -> None:
    with accel.testing.machine("cpu-only"):
        answer = accel.fit(LLAMA)
    assert [one.target.id for one in answer.verdicts] == ["cpu:0"]
    assert "No accelerator" in answer.gaps[0]


_STRANGE: tuple[object, ...] = (None, "x", "12", -1, 0, 1.5, True, [], {}, ["x"], {"a": 1}, 10**18)


def test_no_value_of_a_config_is_more_than_bad_input() -> None:
    specs = api._specs()
    rows = [json.loads(line)["config"] for line in (_HERE / "counted.jsonl").read_text().splitlines()[::9]]
    extra = ("quantization_config", "layer_types", "text_config", "vision_config", "moe_layer_freq", "sliding_window")
    tried = 0
    for row in rows:
        for number, key in enumerate((*row, *extra)):
            strange = _STRANGE[(number + tried) % len(_STRANGE)]
            tried += 1
            try:
                needed(shape_of({**row, key: strange}, specs), Plan(context=64), specs)
            except BadInput:
                continue
    assert tried > 100
