"""Wheels that a project's releases hold: what is read of their list, and what is no answer."""

import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from accel.apps.refresh.index import Unanswered  # noqa: E402
from accel.apps.refresh.propose import of_assets  # noqa: E402
from specs.refresh.recorded import RecordedReleases  # noqa: E402
from specs.refresh.tables import add_row  # noqa: E402

ANSWERS_FOLDER = Path(__file__).with_name("answers")


def test_the_assets_of_releases_are_rows_of_the_table_and_a_pre_release_is_none() -> None:
    wheels = RecordedReleases(ANSWERS_FOLDER).wheels("vllm", "vllm-project/vllm")
    rows = [{"version": "0.30.0", "variant": "cu129", "tags": {"linux_x86_64": "manylinux_2_28_x86_64"}}]
    found = of_assets("vllm", wheels, rows, r"cu\d+", {"0.31.0", "0.30.0"})
    tags = {"linux_aarch64": "manylinux_2_28_aarch64", "linux_x86_64": "manylinux_2_28_x86_64"}
    assert [(p.version, p.why) for p in found] == [
        ("0.30.0", "its platforms or tags differ"),
        ("0.31.0", "it is not in the table"),
    ]
    assert all(isinstance(p.value, dict) and p.value["tags"] == tags for p in found)
    assert of_assets("vllm", wheels, rows, r"cu\d+", {"0.29.0"}) == []


def test_a_row_of_wheels_is_added_and_one_that_is_there_replaced() -> None:
    text = 'projects:\n  - {package: "vllm"}\n'
    text += 'wheels:\n  - {package: "vllm", version: "1", variant: "cu1", tags: {a: "b"}}\n'
    row = {"package": "vllm", "version": "1", "variant": "cu1", "tags": {"a": "c"}}
    made = yaml.safe_load(add_row(text, row, ("package", "version", "variant")))["wheels"]
    assert made == [row]
    made = yaml.safe_load(add_row(text, {**row, "version": "2"}, ("package", "version", "variant")))["wheels"]
    assert [told["version"] for told in made] == ["2", "1"]


@pytest.mark.parametrize(
    "answer",
    [b"<html>sign in</html>", b'{"message": "rate limit exceeded"}', b"[1, 2]", b'[{"tag_name": "v1"}]', b"", b"[{"],
)
def test_nonsense_for_a_list_of_releases_is_no_answer(answer: bytes, tmp_path: Path) -> None:
    (tmp_path / "vllm.releases.json").write_bytes(answer)
    with pytest.raises(Unanswered):
        RecordedReleases(tmp_path).wheels("vllm", "vllm-project/vllm")
