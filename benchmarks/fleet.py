"""Fleets that are not here: made of a simulated machine, with faults, drift and outliers put in, merged, scored, timed.

python benchmarks/fleet.py                    score fleets of 100, 1,000 and 10,000 nodes, and time each merge
python benchmarks/fleet.py --make 1000 DIR    write such a fleet, a file for each node, and truth.json

Each node is the machine 8xH100 of accel.testing, its devices busy, with readings of its own. A faulty node has a
message of one of FAULTS in its log, with a device, a process and a number of its own: its line comes of the checks that
a real node would run. What was put in is the truth: a fault is found if one cause of the merge has exactly its nodes.
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

import accel
import accel.testing
from accel.collect.live import judged
from accel.fleet.node import answer_of, node_line
from accel.model.dataclass import replace
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
SPREAD = {  # reading: standard deviation between healthy devices, and the least and most that an outlier is off
    "temperature_celsius": (2.0, 16.0, 28.0),
    "power_watts": (12.0, -260.0, -120.0),
    "clock_mhz": (15.0, -900.0, -250.0),
    "corrected_errors": (0.0, 60.0, 4000.0),
    "pcie_replays": (0.0, 90.0, 9000.0),
}
DRIFTS = {"nvidia driver": "570.124.06", "kernel": "5.15.0-91-generic", "torch": "2.8.0", "setting numa_balancing": "1"}
Truth = dict[str, Any]


def fleet(count: int, seed: int = 28, healthy: bool = False) -> tuple[Iterator[tuple[str, str]], Truth]:
    """Return the nodes' names and lines, and what was put in: faults 1 %, drift 2 %, outliers 0.5 %, at least one."""
    chance = random.Random(seed)
    names = [f"gpu{number:05}" for number in range(1, count + 1)]
    ill = [] if healthy else chance.sample(names, max(count // 100, 1))
    drifted = [] if healthy else chance.sample(names, max(count // 50, 1))
    odd = [] if healthy else chance.sample(names, max(count // 200, 1))
    kinds = list(FAULTS)
    truth: Truth = {
        "faults": {name: kinds[number % len(kinds)] for number, name in enumerate(ill)},
        "drift": {name: chance.choice(list(DRIFTS)) for name in drifted},
        "outliers": {name: [f"nvidia:{chance.randrange(8)}", chance.choice(list(SPREAD))] for name in odd},
    }
    return _lines(names, truth, chance), truth


def _lines(names: list[str], truth: Truth, chance: random.Random) -> Iterator[tuple[str, str]]:
    registry = Registry({})
    with accel.testing.machine("8xH100") as machine:
        for device in machine.devices:
            machine.busy(device, 97)
        base = accel.snapshot()
    well = json.loads(node_line(answer_of(base, judged(base, registry), "?")))
    well["versions"] |= {"torch": "2.9.1", "setting numa_balancing": "0"}
    for name in names:
        kind = truth["faults"].get(name)
        made = json.loads(json.dumps(well))
        if kind:
            number = chance.randrange(8)
            text = FAULTS[kind].format(
                at=f"{chance.uniform(1e3, 1e6):.6f}",
                bus=BUSES[number],
                device=number % 4,
                pid=chance.randrange(1000, 99999),
                process=chance.choice(PROCESSES),
            )
            told = replace(base, observations=(*base.observations, *accel.read_text(text).observations))
            made |= {
                key: value
                for key, value in json.loads(node_line(answer_of(told, judged(told, registry), name))).items()
                if key in ("state", "why", "findings", "gaps")
            }
        made["node"] = name
        if drifted := truth["drift"].get(name):
            made["versions"][drifted] = DRIFTS[drifted]
        for device in made["devices"]:
            _vary(device, truth["outliers"].get(name), chance)
        yield name, json.dumps(made) + "\n"


def _vary(device: dict[str, Any], odd: list[str] | None, chance: random.Random) -> None:
    for reading, (spread, least, most) in SPREAD.items():
        usual = device["readings"].get(reading, 0.0)
        value = chance.gauss(usual, spread) if spread else float(chance.choice((0, 0, 0, 1, 2)))
        if odd == [device["id"], reading]:
            value += chance.uniform(least, most)
        device["readings"][reading] = round(value, 1)


def write(count: int, folder: Path, healthy: bool = False) -> Truth:
    """Write a fleet, a file for each node, and the truth beside the folder of the nodes."""
    lines, truth = fleet(count, healthy=healthy)
    nodes = folder / "nodes"
    nodes.mkdir(parents=True)
    for name, line in lines:
        (nodes / f"{name}.json").write_text(line)
    (folder / "truth.json").write_text(json.dumps(truth, indent=1))
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
    return {
        "kinds": len(kinds),
        "kinds_as_one_cause": sum(frozenset(nodes) in found for nodes in kinds.values()),
        "other_causes": sum(nodes not in map(frozenset, kinds.values()) for nodes in found),
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
         "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)\nsys.exit(code)",
         "fleet", "merge", str(folder / "nodes"), "--json"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    took = time.perf_counter() - start
    return json.loads(done.stdout), took, int(done.stderr.split()[-1]) / 1024


def main() -> None:
    it = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    it.add_argument("--make", nargs=2, metavar=("NODES", "DIR"))
    it.add_argument("--sizes", nargs="+", type=int, default=[100, 1000, 10_000])
    options = it.parse_args()
    if options.make:
        write(int(options.make[0]), Path(options.make[1]))
        return
    for size in options.sizes:
        for healthy in (False, True):
            with tempfile.TemporaryDirectory() as made:
                folder = Path(made) / "fleet"
                truth = write(size, folder, healthy)
                runs = [merged(folder) for _ in range(3)]
                told = runs[0][0]
                took = min(one[1] for one in runs)
                most = max(one[2] for one in runs)
                kind = "healthy" if healthy else "faulty"
                print(f"{size} nodes, {kind}: {took:.2f} s, {most:.0f} MB, {score(told, truth)}", flush=True)


if __name__ == "__main__":
    main()
