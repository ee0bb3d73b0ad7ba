"""Which published wheel variant a machine would be given, and why not the others."""

import json
from pathlib import Path
from typing import Any

import pytest

from accel.apps.cli import main
from accel.apps.resolving import published_variants
from accel.model.errors import BadInput

INDEX: dict[str, Any] = {
    "variants": {
        "null": {},
        "cpu3": {"x86_64": {"level": ["v3"]}},
        "cu126": {"nvidia": {"cuda_version_lower_bound": ["12.6"], "sm_arch": ["80_real", "90_real"]}},
        "cu129": {"nvidia": {"cuda_version_lower_bound": ["12.9"], "sm_arch": ["90_real", "120_real"]}},
        "cu118": {"nvidia": {"cuda_version_lower_bound": ["11.8"], "cuda_version_upper_bound": ["12.0"]}},
        "ptx": {"nvidia": {"sm_arch": ["90_virtual"]}},
        "rocm": {"amd": {"gfx_arch": ["gfx942", "gfx90a"]}},
        "ours": {"accel": {"stack": ["cuda"], "cuda_minimum": ["12.4"], "code": ["cuda_9.0"]}},
        "other": {"acme": {"speed": ["fast"]}},
    }
}


def answers(**machine: Any) -> dict[str, bool | None]:
    return {one.label: one.fits for one in published_variants(INDEX, **machine)}


@pytest.mark.parametrize(
    ("machine", "fit", "unfit"),
    [
        ({"gpus": ["H100"], "driver": "580.65"}, ["cu129", "cu126", "ours", "ptx", "null"], ["cu118", "rocm"]),
        ({"gpus": ["H100"], "driver": "560.35"}, ["cu126", "ours", "ptx", "null"], ["cu129", "cu118", "rocm"]),
        ({"gpus": ["RTX 5090"], "driver": "580.65"}, ["cu129", "ptx", "null"], ["cu126", "ours", "rocm"]),
        ({"gpus": ["MI300X"]}, ["rocm", "null"], ["cu126", "cu129", "ours", "ptx"]),
        ({"gpus": ["none"]}, ["null"], ["cu126", "rocm", "ours"]),
    ],
)
def test_the_variant_that_an_installer_would_take_comes_first(
    machine: dict[str, Any], fit: list[str], unfit: list[str]
) -> None:
    found = published_variants(INDEX, **machine)
    assert [one.label for one in found if one.fits] == fit
    told = {one.label: one.fits for one in found}
    assert [label for label in unfit if told[label] is not False] == []


def test_what_cannot_be_told_is_neither_taken_nor_refused() -> None:
    told = answers(gpus=["H100"], driver="580.65")
    assert told["other"] is None
    assert told["cpu3"] is None
    assert answers(gpus=["H100"])["cu126"] is None  # a driver of which nothing is known


def test_each_refusal_has_its_reason() -> None:
    found = {one.label: one for one in published_variants(INDEX, gpus=["RTX 5090"], driver="560.35")}
    assert any("the driver supports 12.6" in why for why in found["cu129"].why)
    assert any("RTX 5090 (12.0)" in why for why in found["cu126"].why)


@pytest.mark.parametrize("document", [None, [], {}, {"variants": []}, {"variants": {"a": 1}}, "x"])
def test_what_is_no_index_is_refused(document: object) -> None:
    with pytest.raises(BadInput, match="variants"):
        published_variants(document, gpus=["H100"])


@pytest.mark.parametrize(
    "features", [1, None, {"sm_arch": [None, {}, "x" * 10_000]}, {"cuda_version_lower_bound": [[], "9" * 400]}]
)
def test_hostile_properties_break_nothing(features: object) -> None:
    found = published_variants({"variants": {"a": {"nvidia": features}}}, gpus=["H100"], driver="580.65")
    assert found[0].label == "a"
    assert all(len(why) < 500 for why in found[0].why)


def test_the_command_shows_the_choice_with_its_reason(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "demo-1.0-variants.json"
    path.write_text(json.dumps(INDEX), encoding="utf-8")
    machine = ["--gpu", "H100", "--driver", "560.35"]
    assert main(["resolve", "--variants", str(path), *machine]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(
        "An installer would choose cu126.\n    nvidia :: cuda_version_lower_bound :: 12.6: the driver"
    )
    assert "Does not fit: cu129" in shown
    assert main(["resolve", "--variants", str(path), *machine, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["variants"][0]["label"] == "cu126"
    path.write_text("{", encoding="utf-8")
    assert main(["resolve", "--variants", str(path), *machine]) == 2
    assert "not JSON" in capsys.readouterr().err
