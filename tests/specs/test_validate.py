"""Mistakes in specs are named with their place, and cost only the file that they are in."""

import re
from pathlib import Path

import pytest

from accel.specs import load
from accel.specs.validate import problems

pytestmark = pytest.mark.filterwarnings("ignore:specs not used")
SPECS = Path(__file__).parents[2] / "specs"
SOURCES = 'sources: {sheet: {url: "https://example.org", read: "2026-11"}}\n'
ARCHITECTURES = (
    'vendor: "acme"\n' + SOURCES + "architectures:\n"
    '  - {name: "road", compute_capabilities: ["1.0"], sources: ["sheet"], confidence: "official"}\n'
)
HEAD = 'vendor: "acme"\narchitecture: "road"\n' + SOURCES + "chips:\n"
GOOD = '  - {name: "Runner 1", kind: "gpu", memory_bytes: 1073741824, sources: ["sheet"], confidence: "high"}\n'


def folder_with(tmp_path: Path, **files: str) -> str:
    for name, text in {"acme/architectures": ARCHITECTURES, **files}.items():
        path = tmp_path / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(tmp_path)


def test_the_projects_own_specs_have_no_mistake() -> None:
    assert problems(str(SPECS)) == []


def test_a_sound_folder_has_no_mistake(tmp_path: Path) -> None:
    assert problems(folder_with(tmp_path, **{"acme/chips/road": HEAD + GOOD})) == []


@pytest.mark.parametrize(
    ("table", "text", "says"),
    [
        ("acme/chips/road", HEAD + GOOD.replace("memory_bytes", "memory_byte"), "did you mean memory_bytes?"),
        (
            "acme/chips/road",
            HEAD + GOOD.replace("1073741824", '"1 GB"'),
            "expected whole bytes, 64 MiB to 8 TiB, got str '1 GB'",
        ),
        ("acme/chips/road", HEAD + GOOD.replace("1073741824", "1"), "expected whole bytes, 64 MiB to 8 TiB, got int 1"),
        ("acme/chips/road", HEAD + GOOD.replace('["sheet"]', "[]"), "expected at least one source"),
        ("acme/chips/road", HEAD + GOOD.replace('["sheet"]', '["sheat"]'), "did you mean sheet?"),
        ("acme/chips/road", HEAD + GOOD.replace('confidence: "high"', 'note: "?"'), "confidence: expected a value"),
        ("acme/chips/road", HEAD + GOOD.replace('"gpu"', '"gpus"'), "expected one of gpu, npu"),
        ("acme/chips/road", HEAD.replace('"road"', '"rode"') + GOOD, "did you mean road?"),
        ("acme/chips/road", (HEAD + GOOD).replace("chips:", "chip:"), "did you mean chips?"),
        ("acme/chips/road", (HEAD + GOOD).replace(', read: "2026-11"', ""), "read: expected a value"),
        ("acme/chips/road", (HEAD + GOOD).replace(SOURCES, ""), "sources: expected what the file was read from"),
        ("acme/chips/road", HEAD + GOOD + GOOD.replace("1 ", "1"), "expected names of this chip alone"),
        ("acme/chips/road", HEAD + GOOD.replace("kind", 'compute_capability: "2.0", kind'), "expected one of 1.0"),
        (
            "acme/chips/road",
            HEAD + GOOD.replace("kind", "compute_capability: 1.0, kind"),
            "a quoted compute capability",
        ),
        (
            "acme/architectures",
            ARCHITECTURES + "compute_capabilities:\n"
            '  - {compute_capability: "2.0", architecture: "road", sources: ["sheet"], confidence: "official"}\n',
            "expected one that lists 2.0, got str 'road'",
        ),
        (
            "acme/architectures",
            ARCHITECTURES + "compute_capabilities:\n"
            '  - {compute_capability: "1.0", architecture: "rode", sources: ["sheet"], confidence: "official"}\n',
            "expected one of the architectures, got str 'rode' (did you mean road?)",
        ),
        ("acme/chips/road", HEAD + GOOD.replace("kind", 'pci_ids: ["10DE:1"], kind'), "a PCI id like"),
        ("acme/chips/road", "- 1\n", "expected a mapping at the top, got list [1]"),
        ("acme/chips/road", HEAD + "  - [1]\n", "chips[0]: expected a record, got list [1]"),
        ("acme/chips/road", "chips: [\n", "cannot be read: line 2"),
        (
            "nvidia/cuda",
            SOURCES + 'toolkits: [{version: 12.1, sources: ["sheet"], confidence: "official"}]\n',
            "a quoted version",
        ),
        (
            "frameworks/torch",
            'framework: "torch"\n' + SOURCES + "releases:\n"
            '  - {version: "9.0", builds: [{variant: "x"}], sources: ["sheet"], confidence: "official"}\n',
            "builds[0].platform",
        ),
        (
            "frameworks/torch_code",
            'framework: "torch"\n' + SOURCES + "architectures:\n"
            '  - {versions: ["8.0"], variants: ["cpu"], platform: "linux_x86_64",'
            ' sources: ["sheet"], confidence: "official"}\n',
            "expected a release in the tables, got str '8.0'",
        ),
        *(
            (
                "acme/architectures",
                'vendor: "acme"\n'
                + SOURCES
                + 'architectures: [{name: "road", sources: ["sheet"], confidence: "low"}]\n'
                f'number_formats: [{{{more}, sources: ["sheet"], confidence: "low"}}]\n',
                says,
            )
            for more, says in (
                (
                    'of: ["raod"]',
                    "number_formats[0].of: expected one of those known, got str 'raod' (did you mean road?",
                ),
                (
                    'of: ["road"], matrix: ["bf61"]',
                    "number_formats[0].matrix: expected one of those known, got str 'bf61'",
                ),
            )
        ),
        *(
            ("acme/inference/a", SOURCES + f"facts: [{{name: a, means: x, {more}}}]\n", says)
            for more, says in (
                ('from: [{sentence: "b {x:colour}", example: "b"}]', "from[0].sentence"),
                ('from: [{sentence: "b", example: "c"}]', "in which the sentence is found"),
                ('from: [{sentence: "b"}]', "from[0].example: expected a text"),
                ('from: [{mising: {piece: "node"}}]', "did you mean missing?"),
                ("from: [{}]", "expected one of sentence, error"),
                ('finding: {code: "AX001"}', "finding.severity: expected a value"),
                ('codes: "acme/f", from: [{sentence: "b", example: "b"}], finding: {}', "with {code:number}"),
            )
        ),
    ],
)
def test_a_mistake_is_named_with_its_place(tmp_path: Path, table: str, text: str, says: str) -> None:
    found = problems(folder_with(tmp_path, **{table: text}))
    assert len(found) >= 1
    assert re.match(rf"{table}\.yaml(:\d+)?: ", found[0]), found
    assert any(says in sentence for sentence in found), found


def test_a_users_folder_adds_chips(tmp_path: Path) -> None:
    specs = load(extra=(folder_with(tmp_path, **{"acme/chips/road": HEAD + GOOD}),))
    chip = specs.chip("Acme Runner 1")
    assert chip is None
    found = specs.chip("Runner 1")
    assert found is not None
    assert (found.vendor, found.memory_bytes) == ("acme", 2**30)
    assert specs.problems == ()
    assert specs.compute_capability("GeForce RTX 3090") == "8.6"


def test_a_users_table_of_fault_codes_is_listed(tmp_path: Path) -> None:
    codes = 'name: "Rail"\n' + SOURCES + 'codes: [{code: 7, meaning: "The rail is bent"}]\n'
    specs = load(extra=(folder_with(tmp_path, **{"acme/rail": codes}),))
    assert [table["codes"][0]["code"] for table in specs.fault_tables() if table["name"] == "Rail"] == [7]


def test_a_broken_file_costs_only_itself(tmp_path: Path) -> None:
    broken = HEAD + GOOD.replace("kind", "kinds")
    folder = folder_with(tmp_path, **{"acme/chips/road": HEAD + GOOD, "acme/chips/rail": broken, "acme/odd": "a: [\n"})
    specs = load(extra=(folder,))
    assert specs.chip("Runner 1") is not None
    assert len(specs.problems) == 2
    assert any(
        sentence.startswith("acme/chips/rail.yaml: ") and "did you mean kind?" in sentence
        for sentence in specs.problems
    )
    assert any(sentence.startswith("acme/odd.yaml: cannot be read") for sentence in specs.problems)


def test_a_folder_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    specs = load(extra=(str(tmp_path / "none"),))
    assert len(specs.problems) == 1
    assert "no such folder" in specs.problems[0]
    assert specs.toolkit("cuda", "12.1") is not None


@pytest.mark.parametrize(
    ("table", "right", "wrong", "says"),
    [
        ("export_control", "at_least: 5.92", "at_lest: 5.92", "(did you mean at_least?)"),
        (
            "export_control",
            'quantity: "io_bandwidth", at_least: 1100',
            'quantity: "io_width", at_least: 1',
            "'io_width'",
        ),
        ("export_control", 'scope: "d5_and_macau"', 'scope: "d5_and_macao"', "did you mean d5_and_macau?"),
        ("technical", "capability_below: ", "capability_bellow: ", "did you mean capability_below?"),
    ],
)
def test_a_condition_that_no_judge_knows_is_named(
    tmp_path: Path, table: str, right: str, wrong: str, says: str
) -> None:
    folder = tmp_path / "restrictions"
    folder.mkdir()
    for name in ("export_control", "technical", "destinations"):
        text = (SPECS / "restrictions" / f"{name}.yaml").read_text(encoding="utf-8")
        (folder / f"{name}.yaml").write_text(text.replace(right, wrong, 1) if name == table else text, encoding="utf-8")
    found = problems(str(tmp_path))
    assert len(found) == 1
    assert says in found[0]
    assert re.match(rf"restrictions/{table}\.yaml:\d+: ", found[0]), found
