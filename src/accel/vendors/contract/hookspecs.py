"""The hooks that a plugin may implement. Hooks register typed objects; the objects do the work.

A plugin is a module named by an entry point in the group "accel.plugins":

    [project.entry-points."accel.plugins"]
    acme = "accel_acme"

    # accel_acme/__init__.py
    from accel.vendors.contract.hookspecs import hookimpl

    @hookimpl
    def accel_backend():
        from accel_acme.backend import AcmeBackend
        return AcmeBackend()

Import inside the hooks, so that a command loads only what it needs.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import pluggy

if TYPE_CHECKING:
    from accel.vendors.contract.backend import Backend, Reader
    from accel.vendors.contract.check import Check
    from accel.vendors.contract.rule import Rule

PROJECT: Final = "accel"
API_VERSION: Final = 1  # raised when a hook or a protocol member changes its meaning

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def accel_backend() -> "Backend":  # type: ignore[empty-body]
    """Return the backend that reads this vendor's live hardware."""


@hookspec
def accel_readers() -> "Sequence[Reader]":  # type: ignore[empty-body]
    """Return the readers for the output of this vendor's tools."""


@hookspec
def accel_checks() -> "Sequence[Check]":  # type: ignore[empty-body]
    """Return this vendor's checks."""


@hookspec
def accel_rules() -> "Sequence[Rule]":  # type: ignore[empty-body]
    """Return this vendor's inference rules that are written in code; the others are tables in its specs."""


@hookspec
def accel_specs() -> str:  # type: ignore[empty-body]
    """Return the absolute path of the folder with this plugin's own spec records (YAML)."""


@hookspec
def accel_machines() -> str:  # type: ignore[empty-body]
    """Return the absolute path of the folder with this plugin's recorded machines and texts (docs/conformance.md)."""
