"""Fleets that are not here: made of a simulated machine, with faults, drift and outliers put in, merged, scored, timed.

python benchmarks/fleet.py                    score fleets of 100, 1,000 and 10,000 nodes, and time each merge
python benchmarks/fleet.py --whole            the same of whole snapshots, 125 kB each, instead of lines of the probe
python benchmarks/fleet.py --unlike           of whole snapshots of which no two are alike: what judging each takes
python benchmarks/fleet.py --make 1000 DIR    write such a fleet, a file for each node, and truth.json

Each node is the machine 8xH100 of accel.testing, nine of ten busy, with readings of its own. A faulty node has a
message of one of FAULTS in its log, with a device, a process and a number of its own: its line comes of the checks that
a real node would run. What was put in is the truth: a fault is found if one cause of the merge has exactly its nodes.
One kind of fault gathers in one rack, of sixteen nodes each.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

import accel
import accel.testing
from accel.collect.live import judged
from accel.fleet.node import answer_of, node_line
from accel.model.codec import encode_snapshot
from accel.model.dataclass import replace
from accel.model.to_builtins import plain
from accel.plugins.registry import Registry

FAULTS = {
    kind: f"[{{at}}] NVRM: Xid (PCI:0000:{{bus}}:00): {number}, pid={{pid}}, name={{process}}, {said}"
    for kind, number, said in (
        ("lost", 79, "GPU has fallen off the bus."),
        ("double bit", 48, "An uncorrectable double bit error (DBE) has been detected on GPU."),
        ("remap failed", 64, "Row remapper: failed to remap row"),
        ("remap waits", 63, "Row Remapper: New row marked for remapping, reset gpu to activate."),
        ("nvlink", 74, "NVLink: fatal error detected on link 6(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)"),
        ("contained", 94, "Contained: SM (0x1). RST: No, D-RST: No"),
        ("uncontained", 95, "Uncontained: LTC TAG (0x2,0x0)."),
        ("gsp", 119, "Timeout after 6s of waiting for RPC response from GPU0 GSP! Expected function 76 (0x2080 0x4)."),
        ("halted", 62, "2a1b(3c4d) 00000000 00000000"),
        ("context", 109, "Ch 00000008, errorString CTX SWITCH TIMEOUT, Info 0x4c002"),
        ("security", 110, "Security fault"),
        ("unrecovered", 140, "Unrecovered ECC"),
    )
} | {
    "mismatch": "[{at}] NVRM: API mismatch: the client has the version 570.86.15, but this kernel module has the "
    "version 550.54.15.  Please make sure that this kernel module and all NVIDIA driver components have the same "
    "version.",
    "killed": "[{at}] Out of memory: Killed process {pid} ({process}) total-vm:{pid}28kB, anon-rss:{pid}48kB",
    "cable": "[{at}] mlx5_core 0000:{bus}:00.0: Port module event: module 0, Cable error, High Temperature",
    "aer": "[{at}] pcieport 0000:{bus}:00.0: AER: Uncorrected (Fatal) error received: 0000:{bus}:00.0",
    "switch": "[{at}] nvidia-nvswitch{device}: SXid (PCI:0000:{bus}:00.0): 12028, Non-fatal, Link 44 egress PRIV error",
    "blocked": "[{at}] INFO: task {process}:{pid} blocked for more than 120 seconds.",
    "fabric": "NCCL WARN Cuda failure 'system not yet initialized'",
    "adapter": "[{at}] NVRM: GPU 0000:{bus}:00.0: RmInitAdapter failed! (0x24:0xffff:1220)",
}
PROCESSES = ("python", "torchrun", "ray::train", "vllm", "VLLM::Worker")
BUSES = ("18", "2a", "3a", "5d", "9a", "ab", "ba", "db")
# reading: its field in NVIDIA's record, its standard deviation between healthy devices, how far off an outlier is
SPREAD = {
    "temperature_celsius": ("temperature_celsius", 2.0, 14.0, 28.0),
    "power_watts": ("power_watts", 12.0, -260.0, -90.0),
    "clock_mhz": ("clock_sm_mhz", 15.0, -900.0, -130.0),
    "corrected_errors": ("ecc_corrected_volatile", 0.0, 30.0, 4000.0),
    "pcie_replays": ("pcie_replay_count", 0.0, 60.0, 9000.0),
}
OF_IDLE = ("temperature_celsius", "corrected_errors", "pcie_replays")  # what of an idle device tells a fault
DRIFTS = {"nvidia driver": "570.124.06", "kernel": "5.15.0-91-generic", "torch": "2.8.0", "setting numa_balancing": "1"}
RACK, GATHERED = 16, 6  # nodes of a rack; of those that are ill, how many have one kind in one rack
Truth = dict[str, Any]
Document = dict[str, Any]


def fleet(
    count: int, seed: int = 28, healthy: bool = False, whole: str = ""
) -> tuple[Iterator[tuple[str, str]], Truth]:
    """Return the nodes' names and documents, and what was put in: faults 1 %, drift 2 %, outliers 0.5 %, at least one.

    whole  "": lines of the probe; "like": snapshots; "unlike": snapshots of which no two have the same facts
    """
    chance = random.Random(seed)
    names = [f"gpu{number:05}" for number in range(1, count + 1)]
    ill = [] if healthy else chance.sample(names, max(count // 100, 1))
    drifted = [] if healthy else chance.sample(names, max(count // 50, 1))
    odd = [] if healthy else chance.sample(names, max(count // 200, 1))
    idle = set(chance.sample(names, count // 10))
    kinds = list(FAULTS)
    chance.shuffle(kinds)
    faults = {name: kinds[number % len(kinds)] for number, name in enumerate(ill)}
    rack = chance.randrange(count // RACK)
    gathered = [] if len(ill) < 10 else chance.sample(names[rack * RACK : (rack + 1) * RACK], GATHERED)
    truth: Truth = {
        "faults": faults | dict.fromkeys(gathered, kinds[0]),
        "drift": {name: chance.choice(list(DRIFTS)) for name in drifted},
        "outliers": {
            name: [f"nvidia:{chance.randrange(8)}", chance.choice(OF_IDLE if name in idle else list(SPREAD))]
            for name in odd
        },
        "gathered": [kinds[0], str(rack)] if gathered else None,
    }
    if whole:
        return _documents(names, truth, idle, chance, whole == "unlike"), truth
    return _lines(names, truth, idle, chance), truth


def _base(busy: bool) -> Any:
    with accel.testing.machine("8xH100") as machine:
        for device in machine.devices:
            machine.busy(device, 97 if busy else 0)
        return accel.snapshot()


def _fault(kind: str, chance: random.Random) -> Any:
    """Return what accel reads of a message of this kind."""
    number = chance.randrange(8)
    text = FAULTS[kind].format(
        at=f"{chance.uniform(1e3, 1e6):.6f}",
        bus=BUSES[number],
        device=number % 4,
        pid=chance.randrange(1000, 99999),
        process=chance.choice(PROCESSES),
    )
    return accel.read_text(text).observations


def _lines(names: list[str], truth: Truth, idle: set[str], chance: random.Random) -> Iterator[tuple[str, str]]:
    registry = Registry({})
    bases = _base(busy=False), _base(busy=True)
    well = [json.loads(node_line(answer_of(base, judged(base, registry), "?"))) for base in bases]
    for one in well:
        one["versions"] |= {"torch": "2.9.1", "setting numa_balancing": "0"}
    for name in names:
        busy = name not in idle
        kind = truth["faults"].get(name)
        made = json.loads(json.dumps(well[busy]))
        if kind:
            told = replace(bases[busy], observations=(*bases[busy].observations, *_fault(kind, chance)))
            made |= {
                key: value
                for key, value in json.loads(node_line(answer_of(told, judged(told, registry), name))).items()
                if key in ("state", "why", "findings", "gaps")
            }
        made["node"] = name
        if drifted := truth["drift"].get(name):
            made["versions"][drifted] = DRIFTS[drifted]
        for device in made["devices"]:
            for reading in SPREAD:
                device["readings"][reading] = _value(
                    reading, device["readings"].get(reading, 0.0), [device["id"], reading], truth, name, chance
                )
        yield name, json.dumps(made) + "\n"


def _documents(
    names: list[str], truth: Truth, idle: set[str], chance: random.Random, unlike: bool
) -> Iterator[tuple[str, str]]:
    """Yield whole snapshots, as accel snapshot writes them."""
    made_of: list[Document] = [json.loads(encode_snapshot(_base(busy=busy))) for busy in (False, True)]
    for one in made_of:
        one["environments"][0]["packages"] = [{"name": "torch", "version": "2.9.1"}]
        values = [["numa_balancing", "0"]]
        settings = {"kind": "noted", "fact": "kernel-settings", "text": "numa_balancing=0", "values": values}
        one["observations"].append(settings)
    well = [msgspec.json.encode(one) for one in made_of]
    for name in names:
        busy = name not in idle
        made = msgspec.json.decode(well[busy])
        made["host"]["name"] = name
        made["host"]["memory_total_bytes"] += 4096 * chance.randrange(100)
        if unlike:
            made["host"]["distribution"] += f" of {name}"
        if kind := truth["faults"].get(name):
            made["observations"] += plain(_fault(kind, chance))
        if drifted := truth["drift"].get(name):
            _drift(made, drifted)
        for report in made["reports"]:
            for device in report["devices"]:
                if device.get("uuid"):
                    device["uuid"] = f"GPU-{chance.getrandbits(32):08x}-0000-4000-8000-{chance.getrandbits(48):012x}"
                for reading, (field, *_) in SPREAD.items():
                    usual = device.get(field)
                    if usual is not None:
                        value = _value(reading, usual, [device["id"], reading], truth, name, chance)
                        device[field] = type(usual)(value)
        yield name, msgspec.json.format(msgspec.json.encode(made), indent=1).decode() + "\n"


def _drift(made: Document, what: str) -> None:
    version = DRIFTS[what]
    if what == "kernel":
        made["host"]["kernel"] = version
    elif what == "torch":
        made["environments"][0]["packages"][0]["version"] = version
    elif what == "nvidia driver":
        for report in made["reports"]:
            if (report.get("driver") or {}).get("version"):
                report["driver"]["version"] = version
            for device in report["devices"]:
                device["driver_version"] = device["driver_version"] and version
    else:
        made["observations"][-1]["values"] = [["numa_balancing", version]]


def _value(reading: str, usual: float, where: list[str], truth: Truth, node: str, chance: random.Random) -> float:
    _, spread, least, most = SPREAD[reading]
    value = chance.gauss(usual, spread) if spread else float(chance.choice((0, 0, 0, 1, 2)))
    if truth["outliers"].get(node) == where:
        value += chance.uniform(least, most)
    return round(value, 1)


def write(count: int, folder: Path, healthy: bool = False, seed: int = 28, whole: str = "") -> Truth:
    """Write a fleet, a file for each node, and the truth and the places beside the folder of the nodes."""
    lines, truth = fleet(count, seed, healthy, whole)
    nodes = folder / "nodes"
    nodes.mkdir(parents=True)
    for name, line in lines:
        (nodes / f"{name}.json").write_text(line)
    (folder / "truth.json").write_text(json.dumps(truth, indent=1))
    places = {f"gpu{number + 1:05}": {"rack": str(number // RACK)} for number in range(count)}
    (folder / "places.json").write_text(json.dumps(places))
    return truth


def score(told: dict[str, Any], truth: Truth) -> dict[str, Any]:
    """Return how a merge compares with the truth."""
    found = [frozenset(one["nodes"]) for one in told["causes"] if one["severity"] in ("error", "warning")]
    kinds: dict[str, set[str]] = {}
    for name, kind in truth["faults"].items():
        kinds.setdefault(kind, set()).add(name)
    drifted = {(name, one["what"]) for one in told["drift"] for nodes in one["minority"].values() for name in nodes}
    odd = {(one["node"], one["device"], one["reading"]) for one in told["outliers"]}
    wanted = {(name, device, reading) for name, (device, reading) in truth["outliers"].items()}
    nodes_of = {one["fingerprint"]: frozenset(one["nodes"]) for one in told["causes"]}
    hints = [(one["place"], nodes_of[one["cause"]]) for one in told["places"]]
    as_put_in = [frozenset(nodes) for nodes in kinds.values()]
    odd_nodes = frozenset(truth["outliers"])  # a device far hotter than its siblings is a cause of its own node, too
    kind, rack = truth["gathered"] or (None, None)
    return {
        "hint": None if kind is None else (rack, frozenset(kinds[kind])) in hints,
        "hints_wrong": sum(place != rack for place, _ in hints),
        "kinds": len(kinds),
        "kinds_as_one_cause": sum(nodes in found for nodes in as_put_in),
        "other_causes": sum(nodes not in as_put_in and not nodes <= odd_nodes for nodes in found),
        "drift_found": len(drifted & set(truth["drift"].items())),
        "drift": len(truth["drift"]),
        "drift_wrong": len(drifted - set(truth["drift"].items())),
        "outliers": len(wanted),
        "precision": len(odd & wanted) / len(odd) if odd else 1.0,
        "recall": len(odd & wanted) / len(wanted) if wanted else 1.0,
    }


def merged(folder: Path) -> tuple[dict[str, Any], float, float]:
    """Run accel fleet merge --json in a process of its own: return its answer, its seconds, and its most MB."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", "import resource, sys\nfrom accel.apps.cli import main\ncode = main(sys.argv[1:])\n"
         "print(sum(resource.getrusage(who).ru_maxrss for who in (0, -1)), file=sys.stderr)\nsys.exit(code)",
         "fleet", "merge", str(folder / "nodes"), "--json", "--place", str(folder / "places.json")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    took = time.perf_counter() - start
    return json.loads(done.stdout), took, int(done.stderr.split()[-1]) / 1024


def main() -> None:
    it = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    it.add_argument("--make", nargs=2, metavar=("NODES", "DIR"))
    it.add_argument("--sizes", nargs="+", type=int, default=[100, 1000, 10_000])
    it.add_argument("--seed", type=int, default=28)
    it.add_argument("--runs", type=int, default=3)
    it.add_argument("--whole", action="store_const", const="like", default="", help="of whole snapshots")
    it.add_argument("--unlike", action="store_const", const="unlike", dest="whole", help="of which no two are alike")
    options = it.parse_args()
    if options.make:
        write(int(options.make[0]), Path(options.make[1]), seed=options.seed, whole=options.whole)
        return
    for size in options.sizes:
        for healthy in (False, True):
            with tempfile.TemporaryDirectory() as made:
                folder = Path(made) / "fleet"
                truth = write(size, folder, healthy, options.seed, options.whole)
                runs = [merged(folder) for _ in range(options.runs)]
                told = runs[0][0]
                took = min(one[1] for one in runs)
                most = max(one[2] for one in runs)
                kind = "healthy" if healthy else "faulty"
                print(f"{size} nodes, {kind}: {took:.2f} s, {most:.0f} MB, {score(told, truth)}", flush=True)


if __name__ == "__main__":
    main()
