"""Whether an environment's folder, PYTHONPATH and PYTHONHOME belong to the Python that starts.

Reads   <prefix>/lib/python3.9/site-packages    the folders of Pythons, one of which is this one's
        <prefix>/bin/torchrun                   "#!/home/a/venv/bin/python3.11": its first line names a Python
        <prefix>/bin/python                     its link target: the base interpreter of a virtual environment
Source  CPython: venv, site, "Command line and environment"; pip: the scripts that it writes
"""

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.collect.environment.distributions import Installed
from accel.facts.readers.frameworks import FRAMEWORK_PACKAGES
from accel.machine.files import names_in
from accel.model.observation import Noted
from accel.text.pattern import pattern
from accel.text.versions import normalised

if TYPE_CHECKING:
    from accel.collect.environment.interpreter import Interpreter
    from accel.machine.protocol import Machine

_OWN: Final = ("pyvenv.cfg", "conda-meta")
_PYTHON: Final = pattern(r"python(\d\.\d{1,3}t?)", exact_case=True)
_FIRST_LINE: Final = pattern(r"#!(/[^\s\"']{1,200}/bin/python[\d.]{0,6})\s*$", exact_case=True)
_SCRIPTS: Final = ("pip", "torchrun", "accelerate", "vllm", "deepspeed", "jupyter", "tensorboard", "huggingface-cli")
_FIRST_BYTES: Final = 256
_MOST_LINKS: Final = 8


def strange_prefix(machine: "Machine", interpreter: "Interpreter", found: Installed) -> Iterator[Noted]:
    """Yield a note if the frameworks belong to another Python, or if the environment's programs start a missing one."""
    prefix = interpreter.prefix.rstrip("/")
    if machine.system == "windows" or not any(machine.exists(f"{prefix}/{sign}") for sign in _OWN):
        return
    mine = ".".join(interpreter.version.split(".")[:2])
    if not any(one.package.name in FRAMEWORK_PACKAGES for one in found.distributions):
        for version, site, framework in _other_sites(machine, prefix, mine):
            yield _noted(
                "environment-of-another-python",
                f"{framework} is in {site}, but {prefix}/bin starts Python {interpreter.version}",
                path=site,
                other=version,
                python=interpreter.version,
                framework=framework,
            )
            break
    for script, python in _starters(machine, prefix):
        if not machine.exists(python):
            text = f"{script} starts {python}, which is not there"
            yield _noted("environment-moved", text, path=script, python=python, prefix=prefix)
            break


def gone_base(machine: "Machine", given: str | None) -> tuple[Noted, ...]:
    """Return a note if a virtual environment's python points to a missing interpreter.

    given  the environment's folder, that of a project with .venv or venv in it, or its bin/python; None: not given
    """
    folder = (given or "").rstrip("/")
    if machine.system == "windows" or not folder:
        return ()
    for prefix in (folder, f"{folder}/.venv", f"{folder}/venv", posixpath.dirname(posixpath.dirname(folder))):
        path, target = f"{prefix}/bin/python", None
        if not machine.exists(f"{prefix}/pyvenv.cfg") or machine.exists(path):
            continue
        for _ in range(_MOST_LINKS):  # python leads to python3, and that to the base interpreter
            link = machine.link(target or path)
            if link is None:
                break
            target = posixpath.normpath(posixpath.join(posixpath.dirname(target or path), link))
        if target is not None:
            text = f"{path} leads to {target}, which is not there"
            return (_noted("environment-moved", text, path=path, python=target, prefix=prefix, base="yes"),)
    return ()


def foreign_variables(machine: "Machine", interpreter: "Interpreter") -> Iterator[Noted]:
    """Yield a note if PYTHONPATH has another Python's packages, or PYTHONHOME has no library for this Python."""
    version = interpreter.version
    mine = ".".join(version.split(".")[:2])
    for folder in filter(None, machine.environment.get("PYTHONPATH", "").split(":")):
        python = next((found[1] for part in folder.split("/") if (found := _PYTHON.fullmatch(part))), None)
        if python is not None and python.removesuffix("t") != mine and machine.exists(folder):
            text = f"PYTHONPATH has {folder}, and this is Python {version}"
            yield _of_variable("PYTHONPATH", text, path=folder, other=python, python=version)
            break
    home = machine.environment.get("PYTHONHOME", "").partition(":")[0].rstrip("/")
    if home and machine.system != "windows" and not machine.exists(f"{home}/lib/python{mine}/os.py"):
        text = f"PYTHONHOME is {home}, which has no lib/python{mine}/os.py: Python {version} cannot start with it"
        yield _of_variable("PYTHONHOME", text, path=home, python=version)


def _of_variable(variable: str, text: str, **values: str) -> Noted:
    return _noted("environment-of-another-python", text, variable=variable, **values)


def _other_sites(machine: "Machine", prefix: str, mine: str) -> Iterator[tuple[str, str, str]]:
    """Yield the Pythons whose folders contain a framework: ("3.9", "<prefix>/lib/python3.9/site-packages", "torch")."""
    for name in names_in(machine, f"{prefix}/lib"):
        python = _PYTHON.fullmatch(name)
        if python is None or python[1].removesuffix("t") == mine:
            continue
        site = f"{prefix}/lib/{name}/site-packages"
        for entry in names_in(machine, site):
            package = normalised(entry.partition("-")[0])
            if entry.endswith((".dist-info", ".egg-info")) and package in FRAMEWORK_PACKAGES:
                yield python[1], site, package
                break


def _starters(machine: "Machine", prefix: str) -> Iterator[tuple[str, str]]:
    """Yield programs of the environment that name a Python in their first line, with that Python."""
    for name in _SCRIPTS:
        path = posixpath.join(prefix, "bin", name)
        try:
            head = machine.read_bytes(path, 0, _FIRST_BYTES)
        except OSError:
            continue
        first = _FIRST_LINE.match(head.split(b"\n", 1)[0].decode("utf-8", "replace"))
        if first is not None:
            yield path, first[1]


def _noted(fact: str, text: str, **values: str) -> Noted:
    return Noted(fact=fact, text=text, values=tuple(values.items()), source="environment", grade="measured")
