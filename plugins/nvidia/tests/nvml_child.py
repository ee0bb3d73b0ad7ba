"""What the tests run in a child process, where LD_LIBRARY_PATH has named the fake NVML from the start.

Usage: python nvml_child.py QUESTION [ARGUMENT…]; the answer is pickled on stdout.
"""

import contextlib
import ctypes
import itertools
import os
import pickle
import sys
import time
from dataclasses import replace

from accel_nvidia.backend import NvidiaBackend

from accel.collect.isolate import Probes, Worker
from accel.machine.live import LiveMachine
from accel.vendors.contract.backend import Request


def probe(depth, timeout="8"):
    """Return the reports of an isolated probe."""
    return Probes([Worker(NvidiaBackend(), LiveMachine(), depth, float(timeout))]).wait()


def listed():
    """Return the rows of a listing, the report of a probe with its devices' marks, and whether the rows took pynvml."""
    from accel_nvidia.listing import listing

    from accel.collect.masks import masked
    from accel.model.to_builtins import plain

    backend, machine = NvidiaBackend(), LiveMachine()
    rows, took = listing(machine, Counted()), "pynvml" in sys.modules
    return rows, plain(masked(backend.probe(machine, Request())[0], backend, machine.environment)), took


def merged():
    """Return the ids of the devices as they are shown."""
    from accel.model.merge import merged_devices

    return [device.id for device in merged_devices(probe("health"))[0]]


class Counted:
    """A Progress that keeps what it was told."""

    def __init__(self):
        self.calls = []
        self.devices = []

    def calling(self, call, device=None):
        self.calls.append((call, device))

    def found(self, device):
        self.devices.append(device.id)


def joined():
    """Return the reports of two probes for a topology, the first's and how many calls each made."""
    library, backend, machine = ctypes.CDLL("libnvidia-ml.so.1"), NvidiaBackend(), LiveMachine()
    library.fakenvml_total.restype = ctypes.c_ulonglong
    before, calls, found = library.fakenvml_total(), [], []
    for _ in range(2):
        found.append(backend.probe(machine, Request(depth="health", links_only=True)))
        calls.append(library.fakenvml_total() - before)
        before = library.fakenvml_total()
    assert found[0] == found[1]
    return found[0], calls


def replaced():
    """Return the devices before and after the second GPU was replaced by another one."""
    backend, machine = NvidiaBackend(), LiveMachine()
    first = backend.probe(machine, Request(depth="health", links_only=True))[0].devices
    library = ctypes.CDLL("libnvidia-ml.so.1")
    library.nvmlShutdown()  # what the backend holds: the driver starts anew
    os.environ["FAKENVML_UUID_1"], os.environ["FAKENVML_NAME_1"] = (
        "GPU-99999999-0000-4000-8000-000000000001",
        "NVIDIA H200",
    )
    return first, backend.probe(machine, Request(depth="health", links_only=True))[0].devices


def steps(depth, *skipped):
    """Return reports, the calls as the Progress heard them, the devices it was given, and the library's own count."""
    progress = Counted()
    skip = frozenset((call, device or None) for call, _, device in (one.partition("@") for one in skipped))
    reports = NvidiaBackend().probe(LiveMachine(), Request(depth=depth, skip=skip, progress=progress))
    return reports, progress.calls, progress.devices, _total()


def samples(count):
    """Return the devices of a probe, those of each sample, and the calls of each sample."""
    backend, machine = NvidiaBackend(), LiveMachine()
    devices = backend.probe(machine, Request())[0].devices
    taken, calls = [], []
    for _ in range(int(count)):
        before = _total()
        taken.append(tuple(backend.sample(machine, devices)))
        calls.append(_total() - before)
    return devices, taken, calls


def readings(count, *options):
    """Return the devices of a probe, the readings of each tick, and the calls of each. options: links, activity, skips.

    The clock goes on by half a second with each reading of it.
    """
    from accel.vendors.contract.watching import Wanted

    class Machine(LiveMachine):
        now = 0.0

        def seconds(self):
            self.now += 0.5
            return self.now

    backend, machine = NvidiaBackend(), Machine()
    devices = backend.probe(machine, Request())[0].devices
    skip = frozenset((call, device or None) for call, at, device in (o.partition("@") for o in options) if at)
    wanted = Wanted(links="links" in options, activity="activity" in options, skip=skip)
    taken, calls = [], []
    for _ in range(int(count)):
        time.sleep(0.01)  # the fake's counters go on by the millisecond
        before = _total()
        taken.append(tuple(backend.readings(machine, devices, wanted)))
        calls.append(_total() - before)
    return devices, taken, calls


def questions():
    """Return memory of each device and of one that is not there, and the processes."""
    backend, machine = NvidiaBackend(), LiveMachine()
    ids = [d.id for d in backend.probe(machine, Request())[0].devices]
    return {i: backend.memory(machine, i) for i in (*ids, "nvidia:99", "npu:0")}, backend.processes(machine)


def after_a_shutdown():
    """Return memory, processes and a sample, each after other code has shut NVML down."""
    import pynvml

    backend, machine = NvidiaBackend(), LiveMachine()
    devices = backend.probe(machine, Request())[0].devices
    questions = (
        lambda: backend.memory(machine, "nvidia:0"),
        lambda: backend.processes(machine)["nvidia:0"],
        lambda: backend.sample(machine, devices)[0].power_watts,
    )
    answers = []
    for question in questions:
        question()
        for _ in range(9):
            try:
                pynvml.nvmlShutdown()
            except pynvml.NVMLError:
                break
        answers.append(question())
    return answers


def after_a_fork():
    """Return whether a forked child reads the memory through a start of its own."""
    backend, machine = NvidiaBackend(), LiveMachine()
    backend.memory(machine, "nvidia:0")
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        kept = backend._kept
        found = backend.memory(machine, "nvidia:0")
        os.write(write, b"%d%d" % (found is not None, backend._kept is not kept))
        os._exit(0)
    os.waitpid(child, 0)
    return os.read(read, 2)


def sampled_by_threads(threads, rounds):
    """Return the lists of pids of all devices that samples of several threads at once gave."""
    from threading import Thread

    backend, machine = NvidiaBackend(), LiveMachine()
    devices = backend.probe(machine, Request())[0].devices
    backend.sample(machine, devices)
    found = set()

    def ask():
        for _ in range(int(rounds)):
            found.update(tuple(p.pid for p in d.processes or ()) for d in backend.sample(machine, devices))

    asking = [Thread(target=ask) for _ in range(int(threads))]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    return found


def balance():
    """Return NVML's starts without an end: after a probe, while its handles are kept, after more probes."""
    library = ctypes.CDLL("libnvidia-ml.so.1")

    def open_starts():
        names = (b"nvmlInit_v2", b"nvmlInitWithFlags", b"nvmlShutdown")
        first, second, ends = (_count(library, name) for name in names)
        return first + second - ends

    backend, machine = NvidiaBackend(), LiveMachine()
    devices = backend.probe(machine, Request())[0].devices
    probed = open_starts()
    backend.sample(machine, devices)
    backend.memory(machine, "nvidia:0")
    kept = open_starts()
    for _ in range(3):
        backend.probe(machine, Request())
    return probed, kept, open_starts()


def _count(library, name):
    library.fakenvml_count.restype = ctypes.c_ulonglong
    return library.fakenvml_count(name)


def sweep(*codes):
    """Return, for each call of a probe and each code on GPU 2, what that changes against a healthy probe.

    The answer is a list of (call, code, ids that are gone, ids of other devices that differ, whether GPU 2 differs).
    So for a driver that tells field values, and, of the further calls, for one that has none.
    """
    found, done = [], set()
    for always in ("", "nvmlDeviceGetFieldValues=13;"):
        progress = Counted()
        healthy = _with_fault(always, progress)
        calls = sorted({call for call, device in progress.calls if device is not None} - done)
        done |= set(calls)
        for call, code in itertools.product(calls, codes):
            now = _with_fault(f"{always}{call}*={code},gpu=2", Counted())
            lost = {i for i in healthy if "/" not in i} - set(now)
            changed = {i for i in healthy if not i.startswith("nvidia:2") and now.get(i) != healthy[i]}
            found.append((call, code, sorted(lost), sorted(changed), now.get("nvidia:2") != healthy["nvidia:2"]))
    return found


def _with_fault(fault, progress):
    """Probe with a fault. NVML is started anew, so that the fake library reads it."""
    import pynvml

    with contextlib.suppress(pynvml.NVMLError_Uninitialized):
        pynvml.nvmlShutdown()
    os.environ["FAKENVML_FAULT"] = fault
    report = NvidiaBackend().probe(LiveMachine(), Request(depth="health", progress=progress))[0]
    return {device.id: replace(device, energy_joules=None) for device in report.devices}  # energy grows meanwhile


def modules():
    """Return the modules that a probe at depth "devices" has loaded."""
    NvidiaBackend().probe(LiveMachine(), Request())
    return sorted(sys.modules)


def _total():
    library = ctypes.CDLL("libnvidia-ml.so.1")
    library.fakenvml_total.restype = ctypes.c_ulonglong
    return library.fakenvml_total()


if __name__ == "__main__":
    answer = globals()[sys.argv[1]](*sys.argv[2:])
    sys.stdout.buffer.write(pickle.dumps(answer))
