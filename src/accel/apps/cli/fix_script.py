"""`accel doctor --fix-script`: the steps as a script for the user to read and run; accel only writes it."""

import argparse
import os
import sys
from typing import TYPE_CHECKING, Final

from accel.model.errors import BadInput

if TYPE_CHECKING:
    from accel.model.snapshot import Snapshot
    from accel.plugins.registry import Registry

STDOUT: Final = "-"


def check_conflicts(options: argparse.Namespace) -> None:
    """Raise BadInput for options that --fix-script excludes, before anything is read."""
    if options.all_environments:
        raise BadInput("--fix-script is of one environment. Name it by --python, without --all-environments.")
    if options.fix_script == STDOUT and options.json:
        raise BadInput("--json and the script would share stdout. Name a file:  --fix-script fix.sh")
    if options.fix_script != STDOUT and os.path.exists(options.fix_script):
        raise BadInput(
            f"--fix-script {options.fix_script}: it is there already, and accel overwrites nothing. Give a new name; "
            "a report to be read stands before it, or after --from."
        )


def write_script(path: str, snapshot: "Snapshot", registry: "Registry") -> None:
    """Write the script of a snapshot's steps to a new file, or to stdout. Raises BadInput if that is not possible."""
    import accel
    from accel.apps.render.fix_script.bash import bash
    from accel.apps.render.fix_script.powershell import powershell
    from accel.apps.render.fix_script.steps import starts_of, steps_of
    from accel.apps.render.units import plural
    from accel.collect.live import judged

    on_windows = snapshot.host.system == "windows" and not snapshot.host.wsl
    diagnosis = judged(snapshot, registry, powershell=True if on_windows else None)
    live = snapshot.origin == "live"
    steps = steps_of(diagnosis, registry.specs, live=live, starts=starts_of(snapshot))
    origin = {"live": "this machine", STDOUT: "stdin"}.get(snapshot.origin, snapshot.origin)
    usual = "fix.ps1" if on_windows else "fix.sh"
    name = usual if path == STDOUT else os.path.basename(path)
    script = (powershell if on_windows else bash)(diagnosis, steps, origin, accel.__version__, name)
    if path == STDOUT:
        sys.stdout.write(script.replace("\r\n", "\n"))
        return
    try:
        with open(path, "x", encoding="utf-8-sig" if on_windows else "utf-8", newline="") as file:
            file.write(script)
    except OSError as error:
        raise BadInput(f"--fix-script {path}: {error.strerror or error}. Give a new file's name.") from None
    print(f"accel: {plural(len(steps), 'step')} in {path}; read it before you run it", file=sys.stderr)
