"""`accel resolve`: answers, exit codes, reports as the machine."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import accel
from accel.apps.cli import main

REPORT = """\
+---------------------------------------------------------------------------------------+
| NVIDIA-SMI 535.183.01             Driver Version: 535.183.01   CUDA Version: 12.2     |
|-----------------------------------------+----------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |         Memory-Usage | GPU-Util  Compute M. |
|                                         |                      |               MIG M. |
|=========================================+======================+======================|
|   0  NVIDIA A100-SXM4-80GB          On  | 00000000:07:00.0 Off |                    0 |
| N/A   30C    P0              61W / 400W |      0MiB / 81920MiB |      0%      Default |
|                                         |                      |             Disabled |
+-----------------------------------------+----------------------+----------------------+
"""


def test_an_answer_has_the_schema_and_exit_code_0(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["resolve", "torch", "--gpu", "H100", "--driver", "580.65.06", "--python", "3.12", "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert code == 0
    assert answer["schema"] == "accel.resolution/1"
    assert {"chosen", "rejected", "command", "upgrade"} <= set(answer)
    assert {k: answer["chosen"][0][k] for k in ("package", "version", "variant")} == {
        "package": "torch",
        "version": "2.15.0",
        "variant": "cu132",
    }
    assert set(answer["rejected"][0]) == {"package", "version", "variant", "rule", "because"}


def test_nothing_fits_is_exit_code_1_and_says_what_to_change(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["resolve", "torch", "--gpu", "V100", "--driver", "590.48", "--python", "3.12"])
    text = capsys.readouterr().out
    assert code == 1
    assert "Nothing fits" in text
    assert "driver branch 580" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["torch", "--gpu", "RTX 5900"], "rtx 5090"),
        (["pytroch"], "pytorch"),
        (["torch==99.0"], "2.15.0"),
        (["torch==abc"], "no version"),
        (["torch==2.4.0+cu999"], "cu121"),
        (["torch", "--gpu", "H100", "--python", "three"], "three"),
        (["torch", "--gpu", "H100", "--driver", "new"], "570.86"),
        (["torch", "--gpu", "H100", "--libc", "bionic"], "glibc"),
        (["torch", "--gpu", "H100", "--os", "beos"], "windows"),
        (["torch", "--gpu", "H100", "--stack", "8.0"], "cann=8.0.0"),
        (["torch", "--gpu", "none", "--driver", "570"], "--gpu"),
        (["torch", "--requirements", "/no/such/file"], "/no/such/file"),
        (["torch", "--requirements", "/dev/zero"], "longer than"),
        ([], "Nothing was requested"),
    ],
)
def test_wrong_input_is_exit_code_2_and_says_what_was_meant(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["resolve", *words])
    shown = capsys.readouterr()
    assert code == 2
    assert said in shown.err
    assert shown.out == ""


def test_a_report_is_the_machine_and_options_change_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "report.txt"
    path.write_text(REPORT)
    assert main(["resolve", "torch", "--from", str(path), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["chosen"][0]["version"], answer["chosen"][0]["variant"]) == ("2.14.1", "cu126")
    assert any("Python" in sentence for sentence in answer["assumed"])
    assert main(["resolve", "torch", "--from", str(path), "--driver", "470.57", "--python", "3.11", "--json"]) == 0
    changed = json.loads(capsys.readouterr().out)
    assert changed["chosen"][0]["variant"] == "cu118"


def test_a_text_that_names_no_device_is_not_taken_for_certain() -> None:
    found = accel.resolve("torch", of=accel.read_text("hello"))
    assert any("no accelerator is known" in sentence for sentence in found.assumed)


def test_this_machine_is_answered_for_whatever_it_has() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "accel", "resolve", "torch", "--json"], capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    assert json.loads(done.stdout)["machine"]


def test_the_text_shows_why_each_preferred_build_was_not_taken(capsys: pytest.CaptureFixture[str]) -> None:
    main(["resolve", "torch", "--gpu", "GTX 1080 Ti", "--driver", "580.65.06", "--python", "3.12"])
    text = capsys.readouterr().out
    assert "sm_75" in text
    assert "[device-code]" in text
    assert "https://download.pytorch.org/whl/cu126" in text


def test_verbose_shows_every_group(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["resolve", "torch", "--gpu", "K40", "--driver", "470.256.02", "--python", "3.11"]
    main(words)
    short = capsys.readouterr().out
    main([*words, "--verbose"])
    long = capsys.readouterr().out
    assert len(long) > len(short)
    assert "more groups" not in long


def test_uv_may_take_every_index_where_packages_lie_on_several(capsys: pytest.CaptureFixture[str]) -> None:
    machine = ["--gpu", "TPU v5e", "--python", "3.11"]
    main(["resolve", "torch", *machine, "--installer", "uv"])
    assert "--index-strategy unsafe-best-match" in capsys.readouterr().out


def test_a_companion_that_was_not_made_for_the_variant_comes_from_the_plain_index() -> None:
    found = accel.resolve(["torch", "torchaudio"], gpus="RX 7900 XTX", python="3.12")
    assert found.command == (
        "pip install torch==2.14.1+rocm7.14 torchaudio==2.11.0 "
        "--extra-index-url https://download.pytorch.org/whl/rocm7.14"
    )
    assert any("torchaudio==2.11.0 has no build for rocm7.14" in note for note in found.notes)


def test_what_is_compiled_comes_after_what_it_is_compiled_against() -> None:
    found = accel.resolve(["torch", "flash-attn"], gpus="A100", driver="580.65.06", python="3.12")
    assert found.command == "pip install torch==2.15.0 && pip install 'flash-attn==2.8.*' --no-build-isolation"


def test_two_frameworks_that_pin_one_library_apart_are_told() -> None:
    old = accel.resolve(["torch==2.5.1", "jax==0.7.0"], gpus="A100", driver="535.104.05", python="3.12")
    assert any("cuDNN" in note for note in old.notes)
    ranged = accel.resolve(["tensorflow==2.20.0", "jax"], gpus="A100", driver="535.104.05", python="3.12")
    assert not any("cuDNN" in note for note in ranged.notes)  # it takes any cuDNN from 9.3 up
    new = accel.resolve(["torch", "jax"], gpus="A100", driver="535.104.05", python="3.12")
    assert not any("cuDNN" in note for note in new.notes)
