"""Time accel beside its peers on the same simulated node, in one run.

    python benchmarks/compare.py --library tests/fakenvml/build/570 --peers ~/peers/bin --json out.json

--library   the folder of a simulated libnvidia-ml.so.1 (tests/fakenvml/build.sh makes it); without it the real driver
--peers     a virtual environment's bin folder with gpustat, nvitop and gpustack-runtime, as far as installed
--latency   microseconds that each simulated call takes, for a second round

Whole processes are timed from outside, in turn (A B C A B C …), so that a machine that drifts is fair to
all. The median is quoted; ratios are to the bare pynvml script of the same round.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FLOOR = """
import json, pynvml as N
N.nvmlInit()
rows = []
for i in range(N.nvmlDeviceGetCount()):
    h = N.nvmlDeviceGetHandleByIndex(i)
    rows.append((N.nvmlDeviceGetName(h), N.nvmlDeviceGetUUID(h), N.nvmlDeviceGetPciInfo(h).busId,
        N.nvmlDeviceGetMemoryInfo(h).used,
        N.nvmlDeviceGetUtilizationRates(h).gpu, N.nvmlDeviceGetTemperature(h, 0), N.nvmlDeviceGetPowerUsage(h),
        [p.pid for p in N.nvmlDeviceGetComputeRunningProcesses(h)]))
print(json.dumps(rows))
"""

SAMPLE_FLOOR = """
import time, pynvml as N
N.nvmlInit()
hs = [N.nvmlDeviceGetHandleByIndex(i) for i in range(N.nvmlDeviceGetCount())]
def sample():
    for h in hs:
        N.nvmlDeviceGetMemoryInfo(h, version=N.nvmlMemory_v2); N.nvmlDeviceGetUtilizationRates(h)
        N.nvmlDeviceGetTemperature(h, 0); N.nvmlDeviceGetPowerUsage(h); N.nvmlDeviceGetComputeRunningProcesses(h)
"""
SAMPLE_ACCEL = """
import time, accel
ds = accel.accelerators()
def sample():
    accel.sample(ds)
"""
SAMPLE_END = """
sample()
t = []
for _ in range(200):
    a = time.perf_counter(); sample(); t.append(time.perf_counter() - a)
print(sorted(t)[100] * 1000)
"""

DISCOVERY = """
import sys, time
from accel.plugins.discovery import installed
t = []
for _ in range(15):
    a = time.perf_counter(); found = installed([sys.argv[1]]); t.append(time.perf_counter() - a)
assert len(found) == 1
print(sorted(t)[7] * 1000)
"""

SPECS = """
import time
from accel.specs import load
a = time.perf_counter()
assert load().chip(name="NVIDIA H100 80GB HBM3") is not None
print((time.perf_counter() - a) * 1000)
"""

REPORT = """PyTorch version: 2.4.0+cu121
Is debug build: False
CUDA used to build PyTorch: 12.1
OS: Ubuntu 22.04.4 LTS (x86_64)
Python version: 3.10.12 (64-bit runtime)
Is CUDA available: False
GPU models and configuration: GPU 0: NVIDIA GeForce RTX 3090
Nvidia driver version: 470.223.02
"""

OFFLINE = """
import sys, time
import accel
text = open(sys.argv[1]).read()
accel.doctor(accel.read_text(text))
n, a = 0, time.perf_counter()
while time.perf_counter() - a < 2:
    accel.doctor(accel.read_text(text)); n += 1
print(n / (time.perf_counter() - a))
"""


def once(argv: list[str], env: dict[str, str]) -> float:
    start = time.perf_counter()
    # Read until it ends: without a pipe a wait with a deadline looks only every 50 ms whether it has.
    subprocess.run(argv, env=env, capture_output=True, check=False, timeout=60)
    return (time.perf_counter() - start) * 1000


def in_turn(commands: dict[str, list[str]], env: dict[str, str], runs: int) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(runs + 1):
        for name, argv in commands.items():
            spent = once(argv, env)
            if turn:  # the first round warms the caches
                times[name].append(spent)
    return {name: statistics.median(values) for name, values in times.items()}


def printed(argv: list[str], env: dict[str, str]) -> float | None:
    done = subprocess.run(argv, env=env, capture_output=True, text=True, check=False, timeout=120)
    try:
        return float(done.stdout)
    except ValueError:
        print(f"no figure from {argv[-1][:60]!r}: {done.stderr.strip()[-200:]}", file=sys.stderr)
        return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--gpustack", type=Path, help="a bin folder of its own for gpustack-runtime")
    parser.add_argument("--latency", type=int, default=20)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    env = {
        **os.environ,
        "FAKENVML_GPUS": "8",
        "FAKENVML_LATENCY_MODE": "spin",
        "GPUSTACK_RUNTIME_DETECT_NO_PCI_CHECK": "1",
    }
    if options.library:
        env["LD_LIBRARY_PATH"] = str(options.library.resolve())
    python, accel = sys.executable, str(Path(sys.executable).parent / "accel")
    commands = {
        "bare interpreter": [python, "-c", "pass"],
        "import accel": [python, "-c", "import accel"],
        "pynvml script (floor)": [python, "-c", FLOOR],
        "accel devices --json": [accel, "devices", "--json"],
    }
    for folder, name, words in (
        (options.peers, "gpustat", ["--json"]),
        (options.peers, "nvitop", ["-1"]),
        (options.gpustack, "gpustack-runtime", ["detect", "--format", "json"]),
    ):
        if folder and (folder / name).exists():
            commands[f"{name} {' '.join(words)}"] = [str(folder / name), *words]
    result: dict[str, dict[str, float | None]] = {}
    for latency in (0, options.latency):
        env["FAKENVML_LATENCY_US"] = str(latency)
        figures: dict[str, float | None] = dict(in_turn(commands, env, options.runs))
        figures["sample: pynvml floor"] = printed([python, "-c", SAMPLE_FLOOR + SAMPLE_END], env)
        figures["sample: accel"] = printed([python, "-c", SAMPLE_ACCEL + SAMPLE_END], env)
        result[f"{latency} us a call"] = figures
    env["FAKENVML_LATENCY_US"] = "0"
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.txt"
        report.write_text(REPORT)
        rest: dict[str, float | None] = dict(
            in_turn(
                {
                    "accel doctor (live)": [accel, "doctor"],
                    "accel doctor --from report": [accel, "doctor", "--from", str(report)],
                },
                env,
                5,
            )
        )
        rest["reports a second, in process, one core"] = printed([python, "-c", OFFLINE, str(report)], env)
        site = Path(folder) / "site"
        for number in range(200):
            info = site / f"package_{number}-1.0.dist-info"
            info.mkdir(parents=True)
            (info / "entry_points.txt").write_text(f"[console_scripts]\np{number} = p{number}:main\n")
        (site / "package_7-1.0.dist-info" / "entry_points.txt").write_text("[accel.plugins]\nacme = acme\n")
        rest["plugin discovery, 200 packages"] = printed([python, "-c", DISCOVERY, str(site)], env)
    rest["specs, first answer"] = printed([python, "-c", SPECS], env)
    result["the rest"] = rest
    for title, rows in result.items():
        print(f"\n{title}")
        floor = rows.get("pynvml script (floor)")
        for name, value in rows.items():
            ratio = f"  {value / floor:5.2f} x" if value and floor and "sample" not in name else ""
            print(f"  {name:42} {'-' if value is None else f'{value:9.2f}'}{ratio}")
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
