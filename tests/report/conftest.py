"""Reports made of snapshots, without a machine and without a clock."""

from collections.abc import Callable, Sequence

import pytest

from accel.apps.render.report.build import report
from accel.apps.render.report.document import Document
from accel.apps.render.report.given import Given
from accel.diagnose.engine import diagnose
from accel.facts.questions import Facts
from accel.model.snapshot import Snapshot
from accel.plugins.registry import Registry
from accel.vendors.contract.check import Check

Reporter = Callable[..., Document]


@pytest.fixture(scope="session")
def registry() -> Registry:
    return Registry({})


@pytest.fixture(scope="session")
def reported(registry: Registry) -> Reporter:
    """Return what makes a document of a snapshot; checks: instead of the installed ones."""

    def make(
        snapshot: Snapshot,
        checks: Sequence[Check] | None = None,
        day: str | None = "2026-11-21",
        identifiers: bool = False,
    ) -> Document:
        return report(
            Given(
                facts=Facts(snapshot),
                diagnosis=diagnose(snapshot, registry.specs, registry.checks if checks is None else checks),
                specs=registry.specs,
                day=day,
                destination=None,
                identifiers=identifiers,
                written_at="2026-11-21T00:00:00Z",
                accel_version="0.1.0",
            )
        )

    return make
