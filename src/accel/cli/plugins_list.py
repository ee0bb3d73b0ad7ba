"""`accel plugins list`: the installed plugins and what became of them."""

import argparse
import os
import sys
from typing import Any

from accel.plain import plain


def add(actions: "argparse._SubParsersAction[Any]") -> None:
    """Add the action's parser."""
    it = actions.add_parser("list", help="list the plugins", description="List the installed plugins.")
    it.add_argument("--json", action="store_true", help="print JSON, for programs")


def run(options: argparse.Namespace) -> int:
    """List the plugins; 1 if one of them failed."""
    from accel.registry import Registry

    registry = Registry(os.environ)
    counts = {
        "backends": [backend.name for backend in registry.backends],
        "readers": len(registry.readers),
        "checks": len(registry.checks),
    }
    if options.json:
        from accel.render.json import dumps

        sys.stdout.write(dumps("accel.plugins/1", plugins=plain(registry.plugins), **counts))
    else:
        from accel.render.plugins_text import print_plugins

        print_plugins(registry.plugins)
    return 1 if any(p.status in ("failed", "clash") for p in registry.plugins) else 0
