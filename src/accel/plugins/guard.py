"""Code that may hang or end the process, tried in a child first.

Used for plugins of other distributions in commands, whose process is accel's own: an import or a hook that does not
return, ends the process, or changes accel or Python under everybody's feet then costs its plugin, and not the answer.
The price is that what the child loads is loaded again here.
"""

import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final

from accel.machine.child import Child
from accel.machine.descriptors import readable
from accel.machine.kill_with_parent import KillWithParent

_MOST_SENTENCE: Final = 400  # bytes
_END_SECONDS: Final = 1.0  # at least, for a child that has said its last word
_WATCHED: Final = ("builtins", "json", "os", "time", "select", "subprocess", "pickle", "signal", "re", "pluggy")
_OF_SYS: Final = ("stdout", "stderr", "exit", "excepthook", "displayhook", "argv")


def fault_of(act: Callable[[], object], seconds: float) -> str | None:
    """Return what is wrong with the act; None: nothing that would harm this process, or no fork here.

    Wrong is: it does not end in time, ends the process, raises what is no Exception, leaves a process running, or
    replaces what is accel's or Python's. That it came through is known by the child's own message, never by how the
    child ended. Any other exception is no fault of this kind: the caller will see it.
    """
    if not hasattr(os, "fork"):
        return None
    import time

    read, write = os.pipe()
    lifeline = KillWithParent()
    pid = os.fork()
    if pid == 0:
        _work(act, read, write, lifeline)
    os.close(write)
    lifeline.close_reader()
    child = Child(pid)
    deadline = time.monotonic() + seconds
    said = b""
    try:
        while (left := deadline - time.monotonic()) > 0 and readable([read], left):
            data = os.read(read, _MOST_SENTENCE)
            said += data
            if not data or b"\n" in said or len(said) > _MOST_SENTENCE:
                break
        else:
            return f"did not end within {seconds:g} s"
        if len(said) > _MOST_SENTENCE:
            return "wrote to a pipe that is not its own"
        if not said.endswith(b"\n"):
            return f"ended the process that tried it ({child.how_it_ended()})"
        stays = child.leaves_processes(max(deadline - time.monotonic(), _END_SECONDS))
        return said.decode("utf-8", "replace").strip() or ("left a process running" if stays else None)
    finally:
        os.close(read)
        child.kill()
        lifeline.let_go()


def _work(act: Callable[[], object], read: int, write: int, lifeline: KillWithParent) -> None:
    """The child: act, say what came of it in a line, and leave without running the parent's exit handlers."""
    try:
        fault = ""
        os.close(read)
        os.setsid()
        lifeline.tie(os.getpid())
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nowhere, descriptor)
        for name in _WATCHED:  # the act may be the first to load it
            import_module(name)
        before = _what_stands()
        try:
            act()
        except (Exception, SystemExit):  # it raises again where it counts
            pass
        except BaseException as error:
            fault = f"raised {type(error).__name__}: {error}"
        after = _what_stands()
        changed = [name for name, value in before.items() if after.get(name) is not value]
        if changed and not fault:
            fault = f"replaced {', '.join(changed[:3])}"
        os.write(write, " ".join(fault.split()).encode("utf-8", "replace")[: _MOST_SENTENCE - 1] + b"\n")
    finally:
        os._exit(0)


def _what_stands() -> Mapping[str, Any]:
    """Return what accel's modules and some of Python's hold, by name; what is added to them later does not count."""
    found = {f"sys.{name}": getattr(sys, name, None) for name in _OF_SYS}
    for name, module in list(sys.modules.items()):
        if name in _WATCHED or name.startswith("accel.") or name == "accel":
            for key, value in list(vars(module).items()):
                found[f"{name}.{key}"] = value
                if isinstance(value, type) and value.__module__ == name:
                    found.update((f"{name}.{key}.{member}", one) for member, one in vars(value).items())
    return found
