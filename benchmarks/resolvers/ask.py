"""One question to each tool: what would you install on this machine?

Each runs as it would there, told of the machine by what it reads: options and variables that it has for that, else
small stand-ins for nvidia-smi, rocm_agent_enumerator and the PCI folder. All of them see the same index.
"""

import json
import os
import re
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from resolvers.judge import Pick, Truth
from resolvers.pytorch_index import plain_variant

_AS_ANOTHER = Path(__file__).with_name("as_another_machine.py")
_INSTALLED = re.compile(r"\btorch(?:==|-)(\d[\w.]*?)(?:\+([\w.]+))?(?=\s|$)")
_PCI = Path("/sys/bus/pci/devices")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What all questions share. peers: the bin folder with uv and others; folder: scratch; index: its environment."""

    accel: str
    peers: Path
    folder: Path
    index: dict[str, str]


def accel(truth: Truth, bench: Bench) -> Pick:
    """`accel resolve … --json`: its choice, then its command, run by pip as a rehearsal against the index."""
    m = truth.machine
    words = [bench.accel, "resolve", truth.asks, "--json", "--python", m["python"], "--os", m["system"]]
    words += ["--arch", m["machine"], "--libc", m.get("libc", "2.35")] if _on_linux(m) else ["--arch", m["machine"]]
    for gpu in m["gpus"] or ["none"]:
        words += ["--gpu", gpu]
    words += ["--driver", m["driver"]] if "driver" in m else []
    done, seconds = _run(words, {})
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{truth.name}: {done.stderr}")
    found = json.loads(done.stdout)
    torch = next((c for c in found["chosen"] if c["package"] == "torch"), None)
    if torch is None:
        return Pick(said=done.stdout, seconds=seconds)
    pick = Pick(version=torch["version"], build=torch["variant"], said=found["command"], seconds=seconds)
    rehearsed = _pip(found["command"].split()[2:], m, bench)
    if (rehearsed.version, rehearsed.build) != (pick.version, pick.build):
        raise RuntimeError(f"{truth.name}: {found['command']!r} installs {rehearsed.label}, not {pick.label}")
    return pick


def uv(truth: Truth, bench: Bench) -> Pick:
    """`uv pip install --dry-run --torch-backend=auto`, for the machine's Python and platform."""
    m = truth.machine
    words = [
        str(bench.peers / "uv"),
        "pip",
        "install",
        "--dry-run",
        "--no-cache",
        "--no-config",
        "--only-binary",
        ":all:",
    ]
    words += ["--torch-backend=auto", "--python", str(bench.peers / "python"), "--python-version", m["python"]]
    words += ["--python-platform", _uv_platform(m), truth.asks]
    environment = {**bench.index, "MACOSX_DEPLOYMENT_TARGET": m.get("os_version", "")}
    tools = bench.folder / "uv-tools"
    if "driver" in m:
        environment["UV_CUDA_DRIVER_VERSION"] = m["driver"]
    elif "target" in m and _on_linux(m):
        _script(tools / "rocm_agent_enumerator", f"gfx000\n{m['target']}\n")
        environment["PATH"] = f"{tools}{os.pathsep}{os.environ['PATH']}"
    elif any(pair.startswith("8086:") for pair in m["pci"]):
        words = _with_pci(m["pci"], bench.folder / "pci", words)
    try:
        done, seconds = _run(words, environment)
    finally:
        (tools / "rocm_agent_enumerator").unlink(missing_ok=True)
    return _picked(done.stdout + done.stderr, m, seconds)


def light_the_torch(truth: Truth, bench: Bench) -> Pick:
    """`ltt install --dry-run`, with an nvidia-smi that names the machine's driver."""
    m = truth.machine
    tools = bench.folder / "ltt-tools"
    environment = {**bench.index, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    if "driver" in m:
        _script(tools / "nvidia-smi", "driver_version\n" + f"{m['driver']}\n" * len(m["gpus"]))
    system = {"windows": "Windows", "macos": "Darwin"}.get(m["system"], "Linux")
    words = [str(bench.peers / "python"), str(_AS_ANOTHER), "light-the-torch", system, "install"]
    try:
        done, seconds = _run([*words, *_rehearsal(m, bench), truth.asks], environment)
    finally:
        (tools / "nvidia-smi").unlink(missing_ok=True)
    return _picked(done.stdout + done.stderr, m, seconds)


def torchruntime(truth: Truth, bench: Bench) -> Pick:
    """Its detection, given the PCI ids; pip then resolves the command that it would run."""
    m = truth.machine
    system = {"windows": "Windows", "macos": "Darwin"}.get(m["system"], "Linux")
    words = [str(bench.peers / "python"), str(_AS_ANOTHER), "torchruntime", system, m["machine"], m["python"]]
    done, seconds = _run([*words, ",".join(m["pci"]), truth.asks], {})
    if done.returncode:
        raise RuntimeError(f"{truth.name}: {done.stderr}")
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if told["platform"] is None:
        return Pick(said=told["said"], seconds=seconds)
    if told["platform"] == "directml":
        return Pick(build="directml", said=str(told["commands"]), seconds=seconds)
    command = next(c for c in told["commands"] if truth.asks in c)
    found = _pip(command, m, bench)
    return Pick(version=found.version, build=found.build, said=" ".join(command), seconds=seconds)


TOOLS = {
    "accel": accel,
    "uv": uv,
    "light-the-torch": light_the_torch,
    "torchruntime": torchruntime,
}


def _pip(words: Sequence[str], machine: dict[str, Any], bench: Bench) -> Pick:
    python = str(bench.peers / "python")
    done, _ = _run([python, "-m", "pip", "install", *_rehearsal(machine, bench), *words], bench.index)
    return _picked(done.stdout + done.stderr, machine, None)


def _rehearsal(machine: dict[str, Any], bench: Bench) -> list[str]:
    """Return pip's options for a dry run as on the machine."""
    digits = "cp" + machine["python"].replace(".", "")
    words = [
        "--dry-run",
        "--ignore-installed",
        "--no-cache-dir",
        "--only-binary=:all:",
        "--target",
        str(bench.folder / "t"),
    ]
    words += ["--python-version", machine["python"], "--implementation", "cp", "--abi", digits, "--abi", "none"]
    for platform in _pip_platforms(machine):
        words += ["--platform", platform]
    return words


def _pip_platforms(machine: dict[str, Any]) -> list[str]:
    processor = machine["machine"]
    if machine["system"] == "windows":
        return ["win_amd64"]
    if machine["system"] == "macos":
        return [f"macosx_{machine['os_version'].replace('.', '_')}_{processor}"]
    libc = machine.get("libc", "2.35")
    if libc == "musl":
        return [f"musllinux_1_{minor}_{processor}" for minor in (2, 1)] + [f"linux_{processor}"]
    newest = int(libc.split(".")[1])
    named = [f"manylinux_2_{minor}_{processor}" for minor in range(newest, 4, -1)]
    old = ["manylinux2014", "manylinux2010", "manylinux1"] if processor == "x86_64" else ["manylinux2014"]
    return [*named, *(f"{name}_{processor}" for name in old), f"linux_{processor}"]


def _uv_platform(machine: dict[str, Any]) -> str:
    processor = machine["machine"].replace("arm64", "aarch64")
    if machine["system"] == "windows":
        return "x86_64-pc-windows-msvc"
    if machine["system"] == "macos":
        return f"{processor}-apple-darwin"
    libc = machine.get("libc", "2.35")
    return f"{processor}-unknown-linux-musl" if libc == "musl" else f"{processor}-manylinux_{libc.replace('.', '_')}"


def _on_linux(machine: dict[str, Any]) -> bool:
    return machine["system"] in ("linux", "wsl")


def _picked(text: str, machine: dict[str, Any], seconds: float | None) -> Pick:
    """Read "Would install torch-2.14.1+cu126" or " + torch==2.14.1"; a plain wheel is its release's default build."""
    lines = [line for line in text.splitlines() if line.startswith(("Would install", " + torch"))]
    found = _INSTALLED.search(lines[-1]) if lines else None
    if found is None:
        return Pick(said=text.strip()[-400:], seconds=seconds)
    system = "linux" if machine["system"] == "wsl" else machine["system"]
    build = found[2] or plain_variant(found[1], f"{system}_{machine['machine']}")
    return Pick(version=found[1], build=build, said=lines[-1].strip(), seconds=seconds)


def _with_pci(ids: Sequence[str], folder: Path, words: list[str]) -> list[str]:
    """Return the command with display devices of these ids as the PCI folder, in a mount namespace of its own."""
    for number, pair in enumerate(ids):
        device = folder / f"0000:{number:02x}:00.0"
        device.mkdir(parents=True, exist_ok=True)
        (device / "class").write_text("0x030000\n")
        (device / "vendor").write_text(f"0x{pair.split(':')[0]}\n")
    return ["unshare", "-m", "sh", "-c", f'mount --bind "$0" {_PCI} && exec "$@"', str(folder), *words]


def _script(path: Path, output: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{output}END\n")
    path.chmod(0o755)


def _run(words: Sequence[str], environment: dict[str, str]) -> tuple["subprocess.CompletedProcess[str]", float]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("UV_", "ACCEL_"))}
    start = time.perf_counter()
    done = subprocess.run(
        words, env={**kept, **environment}, capture_output=True, text=True, timeout=300, check=False, cwd="/"
    )
    return done, time.perf_counter() - start


def versions(peers: Path) -> dict[str, str]:
    """Return the tools' versions, as pip lists them."""
    listed = subprocess.run(
        [str(peers / "python"), "-m", "pip", "list", "--format=json"], capture_output=True, text=True, check=True
    )
    known = {row["name"].replace("_", "-"): row["version"] for row in json.loads(listed.stdout)}
    return {name: known[name] for name in ("uv", "light-the-torch", "torchruntime", "pip")}
