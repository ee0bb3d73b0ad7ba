"""What watching costs, beside what it is measured against, on a simulated node of eight H100.

    tests/fakenvml/build.sh /tmp/fakenvml
    export LD_LIBRARY_PATH=/tmp/fakenvml/570
    python benchmarks/watching.py tick
    python benchmarks/watching.py watch --seconds 40
    python benchmarks/watching.py metrics --seconds 20
    python benchmarks/watching.py top --peers PEERS/bin --seconds 40      (wants tmux)
    python benchmarks/watching.py day

Times but those of `metrics` are processor times, so that others on the machine count little; what is compared is
taken in turn or side by side. A command's is that of all of its processes, without its first seconds.
"""

import argparse
import contextlib
import http.client
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROUNDS, TICKS = 40, 25
ACCEL = Path(sys.executable).with_name("accel")


def tick(_: argparse.Namespace) -> None:
    """One tick of the engine in this process, and accel.sample, each beside pynvml asking the same."""
    import pynvml as nvml

    import accel
    from accel.machine.live import LiveMachine
    from accel.plugins.registry import Registry
    from accel.watch.sampling.engine import Engine

    nvml.nvmlInit()
    handles = [nvml.nvmlDeviceGetHandleByIndex(index) for index in range(nvml.nvmlDeviceGetCount())]

    def six() -> None:
        for one in handles:
            nvml.nvmlDeviceGetMemoryInfo(one, version=nvml.nvmlMemory_v2)
            nvml.nvmlDeviceGetUtilizationRates(one)
            nvml.nvmlDeviceGetTemperature(one, 0)
            nvml.nvmlDeviceGetPowerUsage(one)
            nvml.nvmlDeviceGetComputeRunningProcesses(one)
            nvml.nvmlDeviceGetGraphicsRunningProcesses(one)

    def same() -> None:
        told = []
        for one in handles:
            nvml.nvmlDeviceGetMemoryInfo(one, version=nvml.nvmlMemory_v2)
            nvml.nvmlDeviceGetUtilizationRates(one)
            nvml.nvmlDeviceGetTemperature(one, 0)
            nvml.nvmlDeviceGetPowerUsage(one)
            nvml.nvmlDeviceGetClockInfo(one, 1)
            nvml.nvmlDeviceGetClockInfo(one, 2)
            nvml.nvmlDeviceGetPerformanceState(one)
            nvml.nvmlDeviceGetCurrentClocksEventReasons(one)
            for value in nvml.nvmlDeviceGetFieldValues(one, [83, 82, 190]):
                told.append(value.value.ullVal if value.valueType == 3 else value.value.uiVal)
            nvml.nvmlDeviceGetComputeRunningProcesses(one)
            nvml.nvmlDeviceGetGraphicsRunningProcesses(one)
            with contextlib.suppress(nvml.NVMLError):
                nvml.nvmlDeviceGetProcessUtilization(one, 0)

    engine = Engine(LiveMachine(), Registry(os.environ, guarded=True), isolate=False)
    known = accel.accelerators()
    ways: dict[str, Callable[[], object]] = {
        "a tick, twelve calls": engine.take,
        "pynvml, the same": same,
        "accel.sample": lambda: accel.sample(known),
        "pynvml, its six calls": six,
    }
    took: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            began = time.process_time()
            for _ in range(TICKS):
                way()
            took[name].append((time.process_time() - began) / TICKS * 1000)
    middle = {name: statistics.median(each) for name, each in took.items()}
    for ours, theirs in (("a tick, twelve calls", "pynvml, the same"), ("accel.sample", "pynvml, its six calls")):
        ratio = middle[ours] / middle[theirs]
        print(f"{ours}: {middle[ours]:.3f} ms of eight GPUs; {theirs}: {middle[theirs]:.3f} ms; ratio {ratio:.2f}")


def watch(options: argparse.Namespace) -> None:
    """`accel watch` once a second, with a table and a record."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(ACCEL), "watch", "--csv", f"{folder}/a.csv", "--record", f"{folder}/a.rec"]
        share = _share([subprocess.Popen(command)], options.seconds)
    print(f"accel watch at 1 Hz: {share:.2%} of a core")


def top(options: argparse.Namespace) -> None:
    """`accel top` and nvitop beside each other in 200 x 50, once a second."""
    tools = {"accel top": [str(ACCEL), "top"]}
    if options.peers:
        tools["nvitop"] = [str(options.peers / "nvitop"), "-m", "full", "--interval", "1"]
    server = f"accel-{os.getpid()}"
    pids = {}
    for name, command in tools.items():
        size = ["-x", "200", "-y", "50"]
        shown = ["tmux", "-L", server, "new-session", "-d", "-P", "-F", "#{pane_pid}", *size, *command]
        pids[name] = int(subprocess.run(shown, capture_output=True, text=True, check=True).stdout)
    try:
        time.sleep(3)
        before = {name: _used(pid) for name, pid in pids.items()}
        time.sleep(options.seconds)
        for name, pid in pids.items():
            print(f"{name:10} {(_used(pid) - before[name]) / options.seconds:.2%} of a core")
    finally:
        subprocess.run(["tmux", "-L", server, "kill-server"], check=False)


def metrics(options: argparse.Namespace) -> None:
    """Fifty scrapers, each once a second, each over a connection that it keeps."""
    server = subprocess.Popen(
        [str(ACCEL), "serve", "--port", str(options.port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait_for(options.port)
        waits: list[float] = []
        ends = time.monotonic() + options.seconds
        scrapers = [
            threading.Thread(target=_scrape, args=(options.port, number / 50, ends, waits)) for number in range(50)
        ]
        before = _used(server.pid)
        for one in scrapers:
            one.start()
        for one in scrapers:
            one.join()
        spent = _used(server.pid) - before
    finally:
        server.terminate()
        server.wait()
    waits.sort()
    told = ", ".join(f"p{part} {waits[int(len(waits) * part / 100)] * 1000:.1f} ms" for part in (50, 90, 99))
    print(
        f"/metrics, 50 scrapers, {len(waits)} answers: {told}; the server took {spent / options.seconds:.1%} of a core"
    )


def day(_: argparse.Namespace) -> None:
    """86,400 ticks on a clock that is set forward, with history and record: the memory of the process, by the hour."""
    from accel.machine.live import LiveMachine
    from accel.plugins.registry import Registry
    from accel.watch.sampling.engine import Engine
    from accel.watch.sampling.history import History
    from accel.watch.sampling.record import Recorder

    class Hurried:
        now = 0.0

        def seconds(self) -> float:
            return self.now

        def time(self) -> float:
            return 1_700_000_000 + self.now

        def wait(self, seconds: float) -> None:
            self.now += seconds

    history, sizes = History(), []
    clock: Any = Hurried()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        engine = Engine(LiveMachine(), Registry(os.environ, guarded=True), isolate=False, clock=clock)
        writer = Recorder(f"{folder}/day.rec", 1.0)
        stack.callback(writer.close)
        for one in engine.ticks(86_400):
            history.add(one)
            writer.write(one)
            if one.number % 3600 == 3599:
                sizes.append(int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20)
    print("MiB after each hour: " + " ".join(f"{size:.1f}" for size in sizes))


def _share(started: list[subprocess.Popen[bytes]], seconds: float) -> float:
    try:
        time.sleep(2)
        before = sum(_used(one.pid) for one in started)
        time.sleep(seconds)
        return (sum(_used(one.pid) for one in started) - before) / seconds
    finally:
        for one in started:
            one.terminate()
            one.wait()


def _used(pid: int) -> float:
    """Return the processor seconds of a process and of those that it has started."""
    tree, found = {}, 0.0
    for name in os.listdir("/proc"):
        if name.isdecimal():
            with contextlib.suppress(OSError):
                fields = Path(f"/proc/{name}/stat").read_text().rpartition(") ")[2].split()
                tasks = Path(f"/proc/{name}/task").iterdir()  # the process's own counts its first thread alone
                spent = sum(int((task / "schedstat").read_text().split()[0]) for task in tasks)
                tree[int(name)] = int(fields[1]), spent / 1e9
    family = {pid}
    while more := {one for one, (parent, _) in tree.items() if parent in family} - family:
        family |= more
    for one in family:
        found += tree.get(one, (0, 0.0))[1]
    return found


def _wait_for(port: int) -> None:
    """Wait for the first diagnosis: it takes a processor for some seconds, every ten minutes."""
    for _ in range(300):
        with contextlib.suppress(OSError):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("GET", "/api/findings")
            if json.loads(connection.getresponse().read())["taken_at"] is not None:
                return
        time.sleep(0.1)


def _scrape(port: int, offset: float, ends: float, waits: list[float]) -> None:
    time.sleep(offset)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    while time.monotonic() < ends:
        began = time.monotonic()
        connection.request("GET", "/metrics")
        connection.getresponse().read()
        waits.append(time.monotonic() - began)
        time.sleep(max(0.0, began + 1 - time.monotonic()))


def main() -> None:
    every = {each.__name__: each for each in (tick, watch, metrics, top, day)}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=every)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--port", type=int, default=19835)
    options = parser.parse_args()
    if options.what == "top" and not shutil.which("tmux"):
        parser.error("tmux is not installed")
    every[options.what](options)


if __name__ == "__main__":
    main()
