"""Matrices of links as vendors' tools print them: each is read by its own vendor's reader, and by no other."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.collect.text import read_texts
from accel.model.wiring import Link
from accel.plugins.registry import Registry
from accel.specs import load

MATRICES = Path(__file__).parent / "matrices"
NAMES = sorted(path.stem for path in MATRICES.glob("*.txt"))
LINKS = {
    "amd-amd-smi": {"amd:0 amd:1 XGMI"},
    "amd-rocm-smi": {"amd:0 amd:1 XGMI", "amd:0 amd:2 PCIE", "amd:1 amd:2 PCIE"},
    "ascend-910b": {
        *("ascend:0 ascend:1 HCCS", "ascend:0 ascend:2 SYS", "ascend:0 ascend:3 SYS"),
        *("ascend:1 ascend:2 SYS", "ascend:1 ascend:3 SYS", "ascend:2 ascend:3 HCCS"),
    },
    "ascend-950": 28,
    "hygon-k100": {"hygon:0 hygon:1 XGMI"},
    "iluvatar-v100": {"iluvatar:0 iluvatar:1 PIX"},
    "metax-c500": 28,
    "mthreads-s5000": {
        *("mthreads:0 mthreads:1 MT2", "mthreads:0 mthreads:2 MT2", "mthreads:1 mthreads:2 MT2"),
        *("mthreads:0 mlx5_0 PIX", "mthreads:1 mlx5_0 NODE", "mthreads:2 mlx5_0 SYS"),
    },
    "nvidia-with-cards": {
        *("nvidia:0 nvidia:1 NV12", "nvidia:0 mlx5_0 PXB", "nvidia:0 mlx5_bond_0 SYS"),
        *("nvidia:1 mlx5_0 SYS", "nvidia:1 mlx5_bond_0 PXB", "mlx5_0 mlx5_bond_0 SYS"),
    },
}
REGISTRY = Registry({})


def links(text: str) -> dict[str, list[Link]]:
    found: dict[str, list[Link]] = {}
    for report in read_texts([("matrix", text)], REGISTRY).reports:
        if report.links:
            found.setdefault(report.backend, []).extend(report.links)
    return found


def text_of(name: str) -> str:
    return (MATRICES / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_a_matrix_is_read_by_its_own_vendor_alone(name: str) -> None:
    found = links(text_of(name))
    assert list(found) == [name.partition("-")[0]]
    said = {f"{link.one} {link.other} {link.path}" for link in found[name.partition("-")[0]]}
    wanted = LINKS[name]
    assert len(said) == wanted if isinstance(wanted, int) else said == wanted


@pytest.mark.parametrize("name", NAMES)
def test_in_other_case_and_with_other_blanks_it_says_the_same(name: str) -> None:
    first = {(link.one, link.other, link.path) for found in links(text_of(name)).values() for link in found}
    spaced = {
        (link.one, link.other, link.path)
        for found in links("\n".join("  " + "  ".join(line.split()) for line in text_of(name).splitlines())).values()
        for link in found
    }
    assert spaced == first
    lowered = {link.path for found in links(text_of(name).lower()).values() for link in found}
    assert lowered == {path for _, _, path in first}


@pytest.mark.parametrize("name", NAMES)
def test_a_cut_matrix_says_less_and_nothing_else(name: str) -> None:
    whole = {(link.one, link.other, link.path) for found in links(text_of(name)).values() for link in found}
    for cut in range(37, len(text_of(name)), 37):
        text = text_of(name)[:cut]
        part = {(link.one, link.other, link.path) for found in links(text).values() for link in found}
        lettered = {(one, other, path) for one, other, path in part if "nic" not in f"{one}{other}".lower()}
        assert lettered <= whole  # the names of network cards stand below the matrix


def test_every_word_of_a_matrix_is_in_the_table_of_paths() -> None:
    words = {str(row["word"]) for row in load().table("system/paths")["paths"]}
    for name in NAMES:
        for found in links(text_of(name)).values():
            for link in found:
                assert link.path.rstrip("0123456789") + "#" in words or link.path in words


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["GPU0", "GPU1", "NPU0", "X", "NV4", "CPU Affinity", "0", "\n", "\t", "SYS", "NIC0:"])))
def test_pieces_of_a_matrix_never_raise(pieces: list[str]) -> None:
    from accel.vendors.toolkit.members import readers_of

    vendors = ("nvidia", "ascend", "metax", "amd", "mthreads", "iluvatar", "hygon")
    for package in (f"accel_{vendor}" for vendor in vendors):
        for reader in readers_of(package):
            if "topo" in reader.name or "link" in reader.name:
                list(reader.read(" ".join(pieces)))
