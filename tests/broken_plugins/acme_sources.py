"""The sources of a plugin "acme" that is broken in one way each: what it breaks, and what accel says of it."""

from pathlib import Path
from typing import Any

from accel.specs.store import parse

HEAD = """\
import os, signal, time
from accel.vendors.contract.backend import Reader
from accel.vendors.contract.check import check
from accel.vendors.contract.hookspecs import hookimpl
from accel.model.device import Device
from accel.model.report import Report

class Acme:
    name, vendor, device_type = "acme", "Acme", Device
    def detect(self, machine):
        return True
    def probe(self, machine, request):
        request.progress.calling("open")
        device = Device(id="acme:0", index=0, backend="acme", vendor="Acme", kind="npu", name="X1")
        return [Report(backend="acme", source="acme", devices=(device,))]
    def visible(self, devices, variables):
        return devices
"""
BACKEND = """
@hookimpl
def accel_backend():
    return Acme()
"""
NO_PROBE = "    def probe(self, machine, request):\n        request.progress.calling('open')\n        {}\n"
AT_LOADING = {  # the plugin: its module, and words of the sentence that says what is wrong
    "import": ("raise RuntimeError('half a wheel')\n", "half a wheel"),
    "import-of-what-is-not-there": ("import acme_runtime_that_is_not_here\n", "acme_runtime_that_is_not_here"),
    "exit": ("raise SystemExit('needs root')\n", "needs root"),
    "syntax": ("def accel_backend(:\n", "SyntaxError"),
    "misspelt-hook": (
        "from accel.vendors.contract.hookspecs import hookimpl\n@hookimpl\ndef accel_backends():\n    return 1\n",
        "accel_backends",
    ),
    "hook": (f"{HEAD}\n@hookimpl\ndef accel_backend():\n    raise RuntimeError('no board')\n", "no board"),
    "hook-of-nothing": (f"{HEAD}\n@hookimpl\ndef accel_backend():\n    return None\n", "it returned None"),
    "import-that-hangs": ("import time\ntime.sleep(60)\n", "its import did not end within"),
    "import-that-crashes": ("import os\nos.abort()\n", "its import ended the process that tried it (SIGABRT)"),
    "hook-that-hangs": (
        f"{HEAD}\n@hookimpl\ndef accel_backend():\n    time.sleep(60)\n",
        "accel_backend: it did not end within",
    ),
    "hook-that-crashes": (
        f"{HEAD}\n@hookimpl\ndef accel_backend():\n    os.abort()\n",
        "it ended the process that tried it (SIGABRT)",
    ),
    "import-that-leaves": ("import os\nos._exit(0)\n", "its import ended the process that tried it (exit 0)"),
    "import-that-raises-what-is-no-exception": (
        "class Stop(BaseException):\n    pass\nraise Stop('half')\n",
        "its import raised Stop: half",
    ),
    "import-that-interrupts": ("raise KeyboardInterrupt\n", "its import raised KeyboardInterrupt"),
    "import-that-closes-all": ("import os\nos.closerange(0, 100)\n", "its import ended the process that tried it"),
    "import-that-floods": (
        "import os\nwhile True:\n    for pipe in range(30):\n        try:\n"
        "            os.write(pipe, b'x' * 65536)\n        except OSError:\n            pass\n",
        "its import ",
    ),
    "import-that-replaces-json": (
        "import json\njson.dumps = lambda *given, **named: '{}'\n",
        "its import replaced json.dumps",
    ),
    "import-that-replaces-a-record": (
        "from accel.model.device import Device\nDevice.__init__ = lambda self, **facts: None\n",
        "its import replaced accel.model.device.Device.__init__",
    ),
    "import-that-replaces-the-exit": ("import os\nos._exit = print\n", "its import replaced os._exit"),
    "import-that-leaves-a-process": (
        "import os, time\nif os.fork() == 0:\n    time.sleep(600)\n    os._exit(0)\n",
        "its import left a process running",
    ),
    "hook-that-leaves": (
        f"{HEAD}\n@hookimpl\ndef accel_backend():\n    os._exit(0)\n",
        "accel_backend: it ended the process that tried it (exit 0)",
    ),
    "name-of-another-backend": (
        f"{HEAD}{BACKEND}".replace('name, vendor, device_type = "acme"', 'name, vendor, device_type = "cpu"'),
        "accel_backend: it calls itself 'cpu', as another plugin does",
    ),
    "hook-that-exits": (f"{HEAD}\n@hookimpl\ndef accel_backend():\n    raise SystemExit(3)\n", "SystemExit: 3"),
}
AT_PROBING = {
    "detect": (
        f"{HEAD}    def detect(self, machine):\n        raise RuntimeError('bus is odd')\n{BACKEND}",
        "bus is odd",
    ),
    "detect-that-hangs": (
        f"{HEAD}    def detect(self, machine):\n        time.sleep(60)\n{BACKEND}",
        "detect did not return within",
    ),
    "detect-that-dies": (
        f"{HEAD}    def detect(self, machine):\n        os.abort()\n{BACKEND}",
        "SIGABRT",
    ),
    "detect-that-exits": (
        f"{HEAD}    def detect(self, machine):\n        raise SystemExit('needs root')\n{BACKEND}",
        "detect ended the probing process",
    ),
    "report-that-cannot-be-sent": (
        f"{HEAD}{NO_PROBE.format('return [Report(backend=chr(97), source=lambda: 1)]')}{BACKEND}",
        "its plugin gave what cannot be used: 'function' object is not iterable",
    ),
    "probe": (f"{HEAD}{NO_PROBE.format('raise RuntimeError(chr(33) * 3)')}{BACKEND}", "RuntimeError: !!!"),
    "hang": (f"{HEAD}{NO_PROBE.format('time.sleep(60)')}{BACKEND}", "did not return within"),
    "death": (f"{HEAD}{NO_PROBE.format('os.kill(os.getpid(), signal.SIGSEGV)')}{BACKEND}", "SIGSEGV"),
    "exit": (f"{HEAD}{NO_PROBE.format('raise SystemExit(4)')}{BACKEND}", "ended the probing process"),
}
LEFT_BEHIND = {  # nothing is wrong with the answer of these; they only do not end by themselves
    "thread": "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\n",
    "atexit": "import atexit, time\natexit.register(time.sleep, 600)\n",
    "banner": "import os\nfor pipe in (1, 2):\n    os.write(pipe, b'BANNER')\nprint('BANNER')\n",
}
UNSOUND: Any = parse(str(Path(__file__).parent / "unsound_records.yaml"))
LIAR = """\
from accel.model.device import Gap

def d(**facts):
    return Device(**{"id": "acme:0", "index": 0, "backend": "acme", "vendor": "Acme", "kind": "npu", **facts})

def r(*devices, **facts):
    return [Report(**{"backend": "acme", "source": "acme", "devices": devices, **facts})]
"""
PURE = """
from accel.vendors.contract.backend import Reading
from accel.vendors.contract.check import Problem

def read(text):
    {}

@hookimpl
def accel_readers():
    return [Reader(name="acme table", signs=(), read=read)]

@check(code="ZZ903", name="acme-odd", layer="hardware")
def acme_odd(facts, specs):
    {}

@hookimpl
def accel_checks():
    return [acme_odd]
"""
