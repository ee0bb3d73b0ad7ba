"""Runs accel as a command beside a plugin "acme" that is laid out as an installed distribution."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import warm_accel

SECONDS = 3.0


def at_once(*commands: Callable[[], Any]) -> list[Any]:
    """Return what the commands answer, which wait for the same deadlines side by side."""
    with ThreadPoolExecutor(len(commands)) as pool:
        return [begun.result() for begun in [pool.submit(command) for command in commands]]


def installed(folder: Path, source: str, api: str = "1:1") -> Path:
    """Lay a plugin "acme" out as an installed distribution."""
    (folder / "accel_acme.py").write_text(source, encoding="utf-8")
    metadata = folder / "acme_tools-1.2.dist-info"
    metadata.mkdir()
    (metadata / "entry_points.txt").write_text(
        f"[accel.plugins]\nacme = accel_acme\n[accel.plugin_api]\nacme = {api}\n", encoding="utf-8"
    )
    return folder


def accel(folder: Path, *words: str, text: str = "") -> tuple[int, str, str]:
    """Run the command: its exit code, and what it printed."""
    environment = {"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin"}
    done = warm_accel.run(*words, environment=environment, given=text, timeout=60, lean=True)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def devices(folder: Path) -> tuple[int, list[str], str]:
    """Return the exit code, the devices' ids, and the reasons of what is not known of acme."""
    code, out, _ = accel(folder, "devices", "--json", "--timeout", str(SECONDS))
    answer = json.loads(out)
    reasons = [gap["reason"] for gap in answer["gaps"] if gap["backend"] == "acme"]
    return code, [device["id"] for device in answer["devices"]], "\n".join(reasons)


def plugin(folder: Path) -> tuple[int, dict[str, Any]]:
    code, out, _ = accel(folder, "plugins", "list", "--json")
    rows = {row["name"]: row for row in json.loads(out)["plugins"]}
    assert all(row["status"] == "loaded" for name, row in rows.items() if name != "acme")
    return code, rows["acme"]
