"""Which words of a product's name say what, is data: the code knows no brand, and a user's folder adds its own."""

import json
from pathlib import Path

import accel.names.search
import accel.names.tokens
import accel.names.vocabulary
from accel.names.index import find, grown, make_index, packed, unpacked
from accel.specs import load

WORDS = """
vendor: "hokusai"
sources:
  maker: {what: "made up", read: "2026-11"}
words:
  - role: "brand"
    words: ["hokusai", "wave"]
    sources: ["maker"]
    confidence: "low"
  - role: "silent"
    words: ["hokusai"]
    sources: ["maker"]
    confidence: "low"
phrases:
  - {text: "北斎", means: "hokusai", sources: ["maker"], confidence: "low"}
"""


def test_the_code_of_names_holds_no_brand() -> None:
    brands = load().table("nvidia/names")["words"][0]["words"] + load().table("ascend/names")["words"][0]["words"]
    for module in (accel.names.vocabulary, accel.names.search, accel.names.tokens):
        code = Path(str(module.__file__)).read_text()
        code = "".join(code.split('"""')[::2])  # the docstrings have examples
        assert not [brand for brand in brands if f'"{brand}"' in code]


def test_a_vendor_is_known_by_the_words_of_its_products() -> None:
    specs = load()
    assert specs.architecture("Huawei", "ascend910b") == specs.architecture("ascend", "ascend910b") is not None
    assert specs.architecture("Google", "v4") == specs.architecture("tpu", "v4") is not None


def test_a_folder_adds_the_words_of_a_new_vendor(tmp_path: Path) -> None:
    (tmp_path / "hokusai" / "chips").mkdir(parents=True)
    (tmp_path / "hokusai" / "names.yaml").write_text(WORDS)
    (tmp_path / "hokusai" / "architectures.yaml").write_text(
        'vendor: "hokusai"\nsources: {maker: {what: "made up", read: "2026-11"}}\narchitectures:\n'
        '  - {name: "wave", sources: ["maker"], confidence: "low"}\n'
    )
    (tmp_path / "hokusai" / "chips" / "wave.yaml").write_text(
        'vendor: "hokusai"\narchitecture: "wave"\nsources: {maker: {what: "made up", read: "2026-11"}}\nchips:\n'
        '  - {name: "W36", kind: "npu", sources: ["maker"], confidence: "low"}\n'
    )
    specs = load(extra=[str(tmp_path)])
    assert specs.problems == ()
    for name in ("W36", "Hokusai W36", "北斎W36"):
        assert [chip.name for chip in specs.find(name)] == ["W36"]


def test_an_index_that_has_grown_says_what_one_made_of_all_tables_says(tmp_path: Path) -> None:
    specs = load()
    words = [("names", specs.table("names")), ("nvidia/names", specs.table("nvidia/names"))]
    first = [*words, *((name, specs.table(name)) for name in ("nvidia/chips/ampere", "nvidia/compute_capabilities"))]
    further = [("1:nvidia/chips/ada", specs.table("nvidia/chips/ada")), ("1:x", specs.table("nvidia/chips/ampere"))]
    whole = make_index([*first, *further])
    joined = grown(unpacked(json.loads(json.dumps(packed(make_index(first))))), further)
    assert joined is not None
    assert list(joined["entries"]) == whole["entries"]
    for part in ("names", "pci", "dies", "targets", "cores"):
        assert {key: sorted(found) for key, found in joined[part].items()} == {
            k: sorted(v) for k, v in whole[part].items()
        }
        assert len(joined[part]) == len(whole[part])
    assert joined["models"] == whole["models"]
    for text in ("RTX 3090", "RTX 4090", "NVIDIA A100-SXM...", "RTX 4080 Laptop", "none such"):
        assert find(joined, text) == find(whole, text)
    assert grown(make_index(first), [("1:acme/names", {"words": []})]) is None


def test_a_packed_index_says_what_it_said_before() -> None:
    specs = load()
    tables = [
        (name, specs.table(name)) for name in ("nvidia/names", "nvidia/chips/ampere", "nvidia/compute_capabilities")
    ]
    names = [("names", specs.table("names")), *tables]
    index = make_index(names)
    again = unpacked(json.loads(json.dumps(packed(index))))
    assert list(again["entries"]) == index["entries"]
    for part in ("names", "cores", "pci"):
        assert dict(again[part]) == index[part]
        assert len(again[part]) == len(index[part])
    for text in ("RTX 3090", "NVIDIA A100-SXM...", "rtx3080ti", "none such"):
        assert find(again, text) == find(index, text)
