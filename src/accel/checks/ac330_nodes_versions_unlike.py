from collections.abc import Iterator
from typing import Final

from accel.checks.nodes import said_unlike
from accel.facts.nodes import nodes_of, unlike
from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check

_PACKAGES: Final = ("torch", "jax", "jaxlib", "tensorflow", "vllm", "torch-npu", "deepspeed", "nvidia-nccl-cu12")


@check(code="AC330", name="nodes-versions-unlike", layer="driver", severity="warning", family="nodes-unlike")
def nodes_versions_unlike(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A few machines have another release of a driver, kernel, toolkit or framework than the others.

    Why it matters   A job over several machines fails on one of them, or is as slow as that one; NCCL and torch need
                     the same release everywhere.
    What to do       Bring the odd ones to the release of the others: they usually missed an image or an update.
    Looks at         driver, kernel, toolkits, Python, frameworks and NCCL of each machine in a text, or in several
                     saved snapshots given together
    Silent when      fewer than three machines are reported, or all are equal; two saved snapshots are compared, as
                     information
    Source           the comparison of nodes in cluster health checks (imbue-ai/cluster-health)
    """
    remedy = Remedy(
        text="Update the deviating ones to the others' release, with the image or the package.", action="admin"
    )
    yield from said_unlike(unlike(nodes_of(facts), _releases), remedy)


def _releases(facts: Facts) -> dict[str, str]:
    told: dict[str, str] = {}
    for backend in dict.fromkeys(report.backend for report in facts.snapshot.reports):
        driver = facts.driver(backend)
        if driver is not None and driver.version:
            told[f"The {backend} driver"] = driver.version
    if facts.host.kernel:
        told["The kernel"] = facts.host.kernel
    for toolkit in facts.environment.toolkits:
        if toolkit.version:
            told.setdefault(f"The {toolkit.name} toolkit", toolkit.version)
    for package in facts.packages(*_PACKAGES):
        if package.version:
            told.setdefault(package.name, f"{package.version}{f'+{package.variant}' if package.variant else ''}")
    for framework in facts.environment.frameworks:
        if framework.version:
            told.setdefault(framework.name, framework.version)
        if framework.nccl_version:
            told.setdefault("NCCL", framework.nccl_version)
    if facts.environment.python_version:
        told["Python"] = facts.environment.python_version
    return told
