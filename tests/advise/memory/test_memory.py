"""What torch and JAX write of their memory: read, judged, and shown."""

import gzip
import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from accel.apps.cli import main
from accel.model.errors import BadInput
from accel.watch.advise.memory.file import read_memory
from accel.watch.advise.memory.findings import findings_of
from accel.watch.advise.memory.picture import MemoryPicture
from accel.watch.advise.memory.torch_snapshot import where_of

HERE = Path(__file__).parent
PROFILE = HERE / "jax-0.10.2-cpu.prof"
MIB = 2**20
GIB = 2**30
LIBRARY = {"filename": "/opt/v/lib/python3.11/site-packages/torch/nn/modules/linear.py", "line": 125, "name": "forward"}
NATIVE = {"filename": "??", "line": 0, "name": "c10::Allocator::allocate"}


def frames(line: int, name: str) -> list[dict[str, Any]]:
    return [NATIVE, LIBRARY, {"filename": "/home/ann/train.py", "line": line, "name": name}]


def block(state: str, mebibytes: int, asked: int | None = None, stack: Any = None) -> dict[str, Any]:
    size = (mebibytes if asked is None else asked) * MIB
    return {"size": mebibytes * MIB, "requested_size": size, "state": state, "frames": stack or frames(41, "forward")}


def used(mebibytes: int, **facts: Any) -> dict[str, Any]:
    return block("active_allocated", mebibytes, **facts)


def free(mebibytes: int) -> dict[str, Any]:
    return block("inactive", mebibytes)


def segment(*blocks: dict[str, Any], device: int = 0, grows: bool = False) -> dict[str, Any]:
    size = sum(one["size"] for one in blocks)
    return {"device": device, "total_size": size, "is_expandable": grows, "blocks": list(blocks)}


def event(action: str, size: int, address: int = 0, line: int = 41, **facts: Any) -> dict[str, Any]:
    return {"action": action, "size": size, "addr": address, "frames": frames(line, "step"), **facts}


def snapshot(*segments: dict[str, Any], trace: tuple[dict[str, Any], ...] = (), **settings: Any) -> dict[str, Any]:
    return {"segments": list(segments), "device_traces": [list(trace)], "allocator_settings": settings}


def picture(value: Any, protocol: int = 4) -> MemoryPicture:
    return read_memory("x.pickle", pickle.dumps(value, protocol))


def names(value: Any) -> list[tuple[str, str]]:
    return [(one.name, one.confidence) for one in findings_of(picture(value))]


def oom(size: int, free_bytes: int = 0) -> dict[str, Any]:
    return event("oom", size, device_free=free_bytes)


PIECES = segment(used(200), free(200), used(400), free(200))
CASES: dict[str, tuple[Any, list[tuple[str, str]]]] = {
    "all in use": (snapshot(segment(used(900), free(100))), []),
    "in pieces": (snapshot(PIECES), [("memory-in-pieces", "medium")]),
    "in pieces, and a request failed for it": (
        snapshot(PIECES, trace=(oom(300 * MIB),)),
        [("memory-in-pieces", "high")],
    ),
    "a piece would have been large enough": (
        snapshot(PIECES, trace=(oom(100 * MIB),)),
        [("memory-in-pieces", "medium")],
    ),
    "segments that grow are never in pieces": (snapshot(segment(used(200), free(400), used(100), grows=True)), []),
    "just too little in pieces": (snapshot(segment(used(2000), free(255), used(100))), []),
    "just enough in pieces": (snapshot(segment(used(1200), free(256), used(100))), [("memory-in-pieces", "medium")]),
    "it needs more": (snapshot(segment(used(950), free(50)), trace=(oom(2 * GIB),)), [("memory-needs-more", "high")]),
    "kept unused": (snapshot(segment(free(2048)), segment(used(2048))), [("memory-kept-unused", "medium")]),
    "a little is kept unused": (snapshot(segment(free(800)), segment(used(2048))), []),
    "rounded up": (snapshot(segment(used(2048, asked=1100))), [("memory-rounded-up", "medium")]),
    "piles up": (
        snapshot(segment(used(100)), trace=tuple(event("alloc", MIB, n, line=88) for n in range(80))),
        [("memory-piles-up", "low")],
    ),
    "is made and freed": (
        snapshot(
            segment(used(100)),
            trace=tuple(event(one, MIB, n) for n in range(80) for one in ("alloc", "free_requested", "free_completed")),
        ),
        [],
    ),
    "is made at the beginning alone": (
        snapshot(
            segment(used(100)),
            trace=(*(event("alloc", MIB, n) for n in range(80)), *(event("segment_map", 0, 0) for _ in range(240))),
        ),
        [],
    ),
    "nothing at all": (snapshot(), []),
}


def test_every_finding_is_found_in_a_case_and_documented() -> None:
    page = (HERE.parents[2] / "docs/memory.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([a-z-]+)`", page, re.MULTILINE)) == {
        name for _, found in CASES.values() for name, _ in found
    }


@pytest.mark.parametrize("name", CASES)
def test_what_is_found_in_a_snapshot(name: str) -> None:
    value, found = CASES[name]
    assert names(value) == found


def test_a_snapshot_is_added_up_by_device_and_by_line() -> None:
    two = snapshot(
        segment(
            used(64, asked=60), free(64), block("active_pending_free", 32), used(32, stack=frames(52, "attention"))
        ),
        segment(free(128)),
        segment(used(16), device=1),
    )
    it = picture(two)
    first, second = it.pools
    assert (first.device, second.device) == ("device 0", "device 1")
    assert (first.reserved_bytes, first.used_bytes, first.requested_bytes) == (320 * MIB, 96 * MIB, 92 * MIB)
    assert (first.split_free_bytes, first.whole_free_bytes, first.largest_free_bytes) == (
        64 * MIB,
        128 * MIB,
        128 * MIB,
    )
    assert (first.waiting_bytes, first.segments, first.grows_in_place) == (32 * MIB, 2, False)
    assert [(one.device, one.where, one.used_bytes // MIB) for one in it.places] == [
        ("device 0", "train.py:41 forward", 64),
        ("device 0", "train.py:52 attention", 32),
        ("device 1", "train.py:41 forward", 16),
    ]
    assert picture(two["segments"]).pools == it.pools  # as torch.cuda.memory_snapshot() gives them


def test_what_an_older_release_does_not_say_is_not_known() -> None:
    old = {"device": 0, "total_size": MIB, "blocks": [{"size": MIB, "state": "active_allocated"}]}
    it = picture([old])
    assert (it.pools[0].requested_bytes, it.pools[0].grows_in_place, it.places[0].where) == (None, None, None)
    assert [gap.fact for gap in it.unknown] == ["where it was allocated", "what happened before"]


@pytest.mark.parametrize(
    ("stack", "where"),
    [
        (frames(41, "forward"), "train.py:41 forward"),
        ([NATIVE, LIBRARY], "linear.py:125 forward"),
        ([NATIVE], None),
        ([{"filename": "C:\\ann\\train.py", "line": 7, "name": "main"}], "train.py:7 main"),
        ([{"filename": 7, "line": 7, "name": "main"}, "no frame"], None),
        (None, None),
    ],
)
def test_a_line_is_the_programs_own_where_there_is_one(stack: Any, where: str | None) -> None:
    assert where_of(stack) == where


def test_jax_s_profile_is_added_up_by_device_and_by_line() -> None:
    it = read_memory("memory.prof", PROFILE.read_bytes())
    assert [(pool.device, pool.used_bytes, pool.reserved_bytes) for pool in it.pools] == [("cpu:0", 41 * MIB, None)]
    assert [(one.where, one.used_bytes // MIB, one.blocks, one.kind) for one in it.places] == [
        ("mkprof.py:3 <listcomp>", 32, 8, "buffer"),
        ("mkprof.py:9 step", 5, 20, "buffer"),
        ("mkprof.py:6 <module>", 4, 1, "buffer"),
    ]


PROFILED = gzip.decompress(PROFILE.read_bytes())


FOREIGN: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "neither a pickle nor a gzipped profile"),
    "a zip": (b"PK\x03\x04", "neither a pickle nor a gzipped profile"),
    "gzip's head alone": (b"\x1f\x8b\x08nonsense", "gzip cannot unpack it"),
    "gzip, cut off": (PROFILE.read_bytes()[:600], "truncated"),
    "a profile, cut off": (gzip.compress(PROFILED[:1500]), "truncated|does not contain"),
    "text in gzip": (gzip.compress(b"some text that is no protocol buffer"), "not a protocol buffer|truncated"),
    "nothing in gzip": (gzip.compress(b""), "not of memory"),
    "a bomb": (gzip.compress(b"\0" * (65 << 20)), "unpacks to more than 64 MiB"),
    "weights": (pickle.dumps({"state_dict": {}}), "no segments of torch's allocator"),
    "segments without blocks": (pickle.dumps([{"device": 0}]), "no segments of torch's allocator"),
    "a number": (pickle.dumps(3), "no segments of torch's allocator"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_no_such_file_is_refused_with_what_to_give(name: str) -> None:
    data, why = FOREIGN[name]
    with pytest.raises(BadInput, match=f"^file: .*({why}).*_dump_snapshot"):
        read_memory("file", data)


@pytest.mark.parametrize("cut", range(0, len(PROFILED), 97))
def test_a_profile_that_is_cut_anywhere_is_read_or_refused(cut: int) -> None:
    for data in (PROFILED[:cut], PROFILED[:cut] + b"\xff" * 20, PROFILED[cut:]):
        try:
            read_memory("file", gzip.compress(data))
        except BadInput:
            pass


@pytest.fixture
def told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, str]]:
    monkeypatch.setenv("COLUMNS", "160")

    def run(value: Any, *words: str) -> tuple[int, str, str]:
        path = tmp_path / "snapshot.pickle"
        path.write_bytes(value if isinstance(value, bytes) else pickle.dumps(value))
        code = main(["advise", "--memory", str(path), *words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_the_command_shows_what_holds_the_memory_and_what_to_change(told: Callable[..., Any]) -> None:
    code, out, _ = told(snapshot(PIECES, trace=(oom(300 * MIB, 20 * MIB),)))
    assert code == 1
    for words in (
        "torch's memory on device 0: 600 MiB in use",
        "1000 MiB in 1 segment",
        "400 MiB between blocks in use; the largest free piece has 200 MiB",
        "600 MiB  100 %       2  train.py:41 forward",
        "A request for 300 MiB found no room (device 0, train.py:41 step); the driver had 20 MiB.",
        "Free memory is fragmented (device 0)  [very likely]",
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
    ):
        assert words in out
    assert told(snapshot(segment(used(9))))[0] == 0
    assert told(PROFILE.read_bytes())[0] == 0


def test_in_json_it_is_the_same(told: Callable[..., Any]) -> None:
    code, out, _ = told(snapshot(PIECES), "--json")
    document = json.loads(out)
    assert (code, document["schema"], document["framework"]) == (1, "accel.memory/1", "torch")
    assert document["pools"][0]["split_free_bytes"] == 400 * MIB
    assert [cause["name"] for cause in document["causes"]] == ["memory-in-pieces"]


@pytest.mark.parametrize("words", [["77"], ["--from", "x"], ["--record", "x"]])
def test_it_is_about_the_file_alone(told: Callable[..., Any], words: list[str]) -> None:
    code, _, err = told(snapshot(), *words)
    assert code == 2
    assert "goes without PID, --from and --record" in err


def test_a_file_that_is_not_there_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "--memory", "no-such-file"]) == 2
    assert "Give the file that torch or JAX has written" in capsys.readouterr().err


def doubled(value: Any, times: int) -> Any:
    """A few hundred bytes of pickle that spell out to 2 ** times of the value."""
    for _ in range(times):
        value = [value, value]
    return value


ONE = segment(*(used(1) for _ in range(300)))
ODD = {"filename": doubled("x.py", 60), "line": doubled(1, 60), "name": doubled("f", 60)}
LONG = {"filename": "a" * 50_000 + ".py", "line": 1, "name": "b" * 50_000}
NESTED_LINE = {"filename": "train.py", "line": doubled(1, 60), "name": doubled("f", 60)}
BOMBS: dict[str, Callable[[], Any]] = {
    "one segment ten thousand times": lambda: snapshot(*[ONE] * 10_000),
    "one list of blocks in ten thousand segments": lambda: snapshot(*({**ONE} for _ in range(10_000))),
    "one history ten thousand times": lambda: {
        "segments": [ONE],
        "device_traces": [[event("alloc", 1) for _ in range(300)]] * 10_000,
    },
    "names that are nests": lambda: snapshot(segment(used(1, stack=[ODD, NESTED_LINE])), settings=doubled("x", 60)),
    "long names in ten thousand stacks": lambda: snapshot(segment(*(used(1, stack=[LONG]) for _ in range(10_000)))),
    "one stack of ten thousand lines in ten thousand blocks": lambda: snapshot(
        segment(*[block("active_allocated", 1, stack=[LIBRARY] * 10_000)] * 10_000)
    ),
    "nests as the whole": lambda: doubled({"segments": []}, 60),
}


@pytest.mark.parametrize("name", BOMBS)
def test_what_a_small_file_names_a_million_times_is_refused_or_looked_at_once(name: str) -> None:
    data = pickle.dumps(BOMBS[name](), 4)
    assert len(data) < 4_000_000
    try:
        told = read_memory("x.pickle", data)
    except BadInput:
        return
    assert all(len(place.where or "") < 1000 for place in told.places)
