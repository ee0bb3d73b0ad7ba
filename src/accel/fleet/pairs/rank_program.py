"""One rank of the tests, on a node: runs in the user's Python, which may not have accel. Standard library and torch.

accel sends this source over standard input, then one JSON document per line. The process that reads them imports no
torch: it starts a worker that does, relays lines, and ends the worker when told to, when the connection to accel
breaks, or when a test takes far too long. So a hanging collective leaves nothing behind. Python 3.8.

read     {"start": {"number": 1, "device": "auto", "index": 0, "environment": {}}} start a worker, ending a running one
         {"stop": true}                                                              end the worker
         {"test": 7, "rank": 0, "size": 2, "host": "10.0.0.1", "port": 0, "bytes": 4096, "repeats": 5, "seconds": 20}
written  accel-pairs {"here": {…}}, {"ready": {…}}, {"test": 7, "port": 4711}, {"test": 7, "stage": "group"},
         {"test": 7, "seconds": [0.01, …], "wrong": 0}, {"test": 7, "error": "…", "stage": "group"},
         {"ended": "exit 1: …", "number": 1}
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from importlib import import_module
from typing import Any

MARK = "accel-pairs "
BOOT = (
    "import sys; f = sys.stdin.buffer; s = f.read(int(f.readline())).decode(); "
    "exec(compile(s, 'accel-pairs', 'exec'), {'__name__': '__main__', 'SOURCE': s})"
)
GRACE_SECONDS = 15.0  # after a test's own deadline, in which accel ends the worker itself
QUIET_SECONDS = 900.0  # without a word from accel, after which it is given up
MOST_TEXT = 400
LIBRARIES = {"cuda": "nccl", "npu": "hccl", "xpu": "xccl", "mlu": "cncl", "cpu": "gloo"}
EXTENSIONS = {"npu": "torch_npu", "mlu": "torch_mlu"}
SIOCGIFADDR = 0x8915  # Linux: netdevice(7)
COUNTED = 1021  # leading numbers whose sums are compared: integers that float32 represents exactly


def tell(**line: Any) -> None:
    """Write one line to accel."""
    data = (MARK + json.dumps(line) + "\n").encode()
    while data:
        data = data[os.write(_out[0], data) :]


_out = [1]


class Keeper:
    """Starts and ends the worker of this node."""

    def __init__(self, source: str, name: str) -> None:
        self.source, self.name = source, name
        self.worker: subprocess.Popen[bytes] | None = None
        self.lock = threading.Lock()
        self.until: float | None = None  # when a test has taken far too long
        self.heard = time.monotonic()

    def obey(self, line: bytes) -> None:
        """Execute one line."""
        self.heard = time.monotonic()
        told = json.loads(line)
        if "start" in told:
            self.end()
            self.start(told["start"])
        elif "stop" in told:
            self.end()
        elif "test" in told:
            self.until = time.monotonic() + float(told["seconds"]) + GRACE_SECONDS
            try:
                assert self.worker is not None
                assert self.worker.stdin is not None
                self.worker.stdin.write(line)
                self.worker.stdin.flush()
            except (AssertionError, OSError):
                tell(test=told["test"], error="its worker has ended", stage="start")

    def start(self, how: dict[str, Any]) -> None:
        environment = {**os.environ, **how.get("environment", {})}
        words = [sys.executable, "-u", "-c", self.source, "worker", self.name, json.dumps(how)]
        self.worker = subprocess.Popen(
            words,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        threading.Thread(target=self.relay, args=(self.worker, how.get("number")), daemon=True).start()

    def relay(self, worker: subprocess.Popen[bytes], number: int | None) -> None:
        """Relay the worker's lines, and report how it ended unless it was ended from here."""
        said: list[str] = []
        other = threading.Thread(target=last_lines, args=(worker.stderr, said), daemon=True)
        other.start()
        assert worker.stdout is not None
        for line in worker.stdout:
            text = line.decode("utf-8", "replace")
            if text.startswith(MARK) and worker is self.worker:
                if '"test"' in text and ('"seconds"' in text or '"error"' in text):
                    self.until = None
                tell(**json.loads(text[len(MARK) :]))
        code = worker.wait()
        other.join(1.0)
        if worker is self.worker:
            ending = f"exit {code}" if code >= 0 else signal.Signals(-code).name
            tell(ended=(ending + (": " + said[-1] if said else ""))[:MOST_TEXT], number=number)

    def end(self) -> None:
        """End the worker and everything it started."""
        with self.lock:
            worker, self.worker, self.until = self.worker, None, None
        if worker is None:
            return
        try:
            os.killpg(worker.pid, signal.SIGKILL)
        except (OSError, AttributeError):
            worker.kill()

    def watch(self) -> None:
        """End a worker whose test takes far too long, and everything if accel is silent for too long."""
        while True:
            time.sleep(1.0)
            now = time.monotonic()
            if self.until is not None and now > self.until:
                self.end()
            if now > self.heard + QUIET_SECONDS:
                self.end()
                os._exit(0)


def last_lines(pipe: Any, kept: list[str]) -> None:
    for line in pipe:
        text = line.decode("utf-8", "replace").strip()
        if text:
            kept[:] = [*kept[-5:], text]


def keep(source: str, name: str) -> None:
    """Read accel's lines until they end; then end what was started."""
    keeper = Keeper(source, name)
    threading.Thread(target=keeper.watch, daemon=True).start()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    connection = os.environ.get("SSH_CONNECTION", "").split()
    tell(here={"host": socket.gethostname(), "address": connection[2] if len(connection) == 4 else None})
    try:
        while True:
            line = sys.stdin.buffer.readline()
            if not line:
                break
            keeper.obey(line)
    except (OSError, KeyboardInterrupt):
        pass
    finally:
        keeper.end()


def work(how: dict[str, Any]) -> None:
    """Run tests, one after the other."""
    die_with_parent()
    _out[0] = os.dup(1)
    os.dup2(2, 1)  # what libraries print is not taken for a line
    torch = import_module("torch")
    together = import_module("torch.distributed")
    device = chosen(torch, how["device"], int(how.get("index", 0)))
    kind = device.partition(":")[0]
    if kind != "cpu":
        getattr(torch, kind).set_device(device)
    else:
        torch.set_num_threads(1)
    torch.ones(8, device=device).sum().item()
    tell(
        ready={
            "torch": str(torch.__version__),
            "python": ".".join(map(str, sys.version_info[:3])),
            "device": device,
            "library": LIBRARIES[kind],
            "name": device_name(torch, kind, device),
            "number": how.get("number"),
        }
    )
    while True:
        line = sys.stdin.buffer.readline()
        if not line:
            return
        test = json.loads(line)
        stage = ["meet"]
        try:
            tell(test=test["test"], **result_of(torch, together, test, device, stage))
        except Exception as error:
            text = " ".join(f"{type(error).__name__}: {error}".split())[:MOST_TEXT]
            tell(test=test["test"], error=text, stage=stage[0])
            os._exit(3)  # a group that broke is not to be trusted with the next


def chosen(torch: Any, asked: str, index: int) -> str:
    """Return torch's name of the requested device. Raises RuntimeError if there is none."""
    kind, _, number = asked.partition(":")
    kinds = [one for one in LIBRARIES if one != "cpu"] if kind == "auto" else [kind]
    for one in kinds:
        if one == "cpu":
            return "cpu"
        if one in EXTENSIONS and not hasattr(torch, one):
            try:
                import_module(EXTENSIONS[one])
            except ImportError:
                continue
        module = getattr(torch, one, None)
        if module is not None and module.is_available():
            return f"{one}:{number or index % max(module.device_count(), 1)}"
    if kind == "auto":
        return "cpu"
    if kind not in LIBRARIES:
        raise RuntimeError(f"no library for collectives between devices of type {kind} is known")
    raise RuntimeError(f"torch {torch.__version__} sees no device of type {kind}")


def device_name(torch: Any, kind: str, device: str) -> str | None:
    ask = getattr(getattr(torch, kind, None), "get_device_name", None)
    try:
        return None if ask is None or kind == "cpu" else str(ask(device))
    except Exception:
        return None


def result_of(torch: Any, together: Any, test: dict[str, Any], device: str, stage: list[str]) -> dict[str, Any]:
    """Run repeated all-reduces in the test's group; return the seconds of each and the number of wrong sums."""
    from datetime import timedelta

    rank, size = test["rank"], test["size"]
    kind = device.partition(":")[0]
    patience = timedelta(seconds=test["seconds"] + 4 * GRACE_SECONDS)  # accel's own deadline comes first

    def at(name: str) -> None:
        stage[0] = name
        tell(test=test["test"], stage=name)

    interface = interface_to(test["host"]) if kind == "cpu" else None
    if interface is not None:
        os.environ.setdefault("GLOO_SOCKET_IFNAME", interface)  # else it looks up this host's name: often 127.0.1.1
    store = together.TCPStore(
        test["host"], test["port"], size, is_master=rank == 0, timeout=patience, wait_for_workers=False
    )
    if rank == 0:
        tell(test=test["test"], port=store.port)
    at("group")
    together.init_process_group(LIBRARIES[kind], store=store, rank=rank, world_size=size, timeout=patience)
    at("first")
    ramp = torch.arange(COUNTED, device=device).remainder(16).to(torch.float32)
    array = torch.zeros(max(test["bytes"] // 4, COUNTED), dtype=torch.float32, device=device)
    wait = (lambda: None) if kind == "cpu" else getattr(torch, kind).synchronize
    array[:COUNTED] = ramp * (rank % 8 + 1)
    together.all_reduce(array)
    wait()
    wrong = int((array[:COUNTED] != ramp * sum(one % 8 + 1 for one in range(size))).sum().item())
    at("timed")
    took = []
    for _ in range(test["repeats"]):
        array.fill_(1.0)
        wait()
        start = time.perf_counter()
        together.all_reduce(array)
        wait()
        took.append(time.perf_counter() - start)
    at("leave")
    store.add("left", 1)
    while rank == 0 and store.add("left", 0) < size:  # the others' store is here
        time.sleep(0.002)
    together.destroy_process_group()
    return {"seconds": took, "wrong": wrong}


def interface_to(host: str) -> str | None:
    """Return the name of the interface that reaches a host, by IPv4 on Linux; None if unknown."""
    try:
        import fcntl

        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            asking.connect((host, 9))  # sends nothing: it chooses a route
            own = asking.getsockname()[0]
            for _, name in socket.if_nameindex():
                try:
                    told = fcntl.ioctl(asking.fileno(), SIOCGIFADDR, name.encode()[:15].ljust(256, b"\0"))
                except OSError:  # it has no address
                    continue
                if socket.inet_ntoa(told[20:24]) == own:
                    return name
    except (OSError, ImportError):
        pass
    return None


def die_with_parent() -> None:
    """Let Linux end this process when its parent exits."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    except (OSError, AttributeError, ImportError):
        pass


def main() -> None:
    """Run as the worker that argv requests, or as its keeper."""
    if sys.argv[1:2] == ["worker"]:
        work(json.loads(sys.argv[3]))
    else:
        keep(globals()["SOURCE"], sys.argv[1] if len(sys.argv) > 1 else "")


if __name__ == "__main__":
    main()
