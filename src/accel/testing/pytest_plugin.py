"""accel's pytest plugin, which pytest loads automatically. It imports nothing of accel until it is used.

    def test_eight(accel_machine):                        # a simulated machine (accel.testing) for one test
        m = accel_machine("8xH100")

    @pytest.mark.accelerator(vendor="nvidia", memory="16GiB", dtype="bf16")     # needs such a machine
    def test_on_hardware(): ...

A test whose requirement is not met is skipped, with the reason; with `--accel-strict` it fails. The keywords are those
of `accel.require`, including file="accel.yaml".
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from accel.testing.simulation import Machine

_UNMET = pytest.StashKey[dict[str, "str | None"]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the --accel-strict option."""
    group = parser.getgroup("accel", "accelerators")
    group.addoption(
        "--accel-strict",
        action="store_true",
        help="fail a test whose @pytest.mark.accelerator is not met by this machine, instead of skipping it",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, for --strict-markers and --markers."""
    config.addinivalue_line(
        "markers",
        (
            'accelerator(vendor="nvidia", memory="16GiB", …): skips unless the machine meets what '
            "accel.require() with these keywords requires"
        ),
    )
    config.stash[_UNMET] = {}


@pytest.hookimpl(tryfirst=True)  # before fixtures use the device
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose requirement is not met."""
    for marker in item.iter_markers("accelerator"):
        if marker.args:
            raise pytest.UsageError(f"{item.nodeid}: @pytest.mark.accelerator takes keywords: memory='16GiB'")
        reason = _unmet(item.config, marker.kwargs)
        if reason is None:
            continue
        if item.config.getoption("--accel-strict"):
            pytest.fail(reason, pytrace=False)
        pytest.skip(_first_sentences(reason))


def _unmet(config: pytest.Config, wanted: Mapping[str, Any]) -> str | None:
    """Return why this machine does not meet the requirement; None if it does. Cached per requirement and machine."""
    from accel.apps import api
    from accel.apps.sdk.requirements import require
    from accel.model.errors import RequirementUnmet

    known = config.stash[_UNMET]
    key = f"{id(api._doors())} {sorted(wanted.items())}"
    if key not in known:
        try:
            require(**wanted)
            known[key] = None
        except RequirementUnmet as unmet:
            known[key] = str(unmet)
    return known[key]


def _first_sentences(reason: str) -> str:
    """Return the requirement, how many devices meet it, and the fault that explains it."""
    lines = [line.strip() for line in reason.splitlines()]
    causes = [lines[place + 1] for place, line in enumerate(lines) if line == "What is broken first:"]
    return " ".join([lines[0], *causes])


@pytest.fixture
def accel_machine() -> "Iterator[Callable[..., Machine]]":
    """Replace this machine with a simulated one until the end of the test: accel_machine("8xH100") returns it."""
    with ExitStack() as stack:

        def put(name: str, **options: Any) -> "Machine":
            from accel.testing.simulation import machine

            return stack.enter_context(machine(name, **options))

        yield put
