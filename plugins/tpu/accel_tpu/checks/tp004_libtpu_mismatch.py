"""The installed libtpu is not the one that the framework was built with."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Evidence, Problem, Remedy, check, need
from accel.resolver.remedies import install, machine_of
from accel_tpu.signs import need_tpu_or_wish, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="TP004", name="tpu-libtpu-mismatch", layer="framework", requires=("tpu-libtpu-missing",))
def libtpu_mismatch(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """libtpu and the framework are of different releases.

    Why it matters   libtpu refuses, crashes, or hides the TPU; each release of JAX asks for one libtpu.
    What to do       Install the libtpu that the framework names.
    Looks at         versions of jax, torch_xla, libtpu and libtpu-nightly; PJRT version errors
    Silent when      the pair is as asked for; undecided for releases that specs/tpu/libtpu.yaml lacks
    Source           specs/tpu/libtpu.yaml; pytorch/xla issue 6949; jax issue 29989
    """
    need_tpu_or_wish(facts)
    said = facts.events("libtpu-api-mismatch", "libtpu-wrong-package")
    libtpu, wanted = _pair(facts, specs)
    wrong = libtpu is not None and wanted is not None and not _fits(libtpu, wanted[1])
    if not said and not wrong:
        if facts.packages("jax", "torch-xla"):
            need(libtpu, "libtpu version")
            need(wanted, "the libtpu that the framework asks for")
        return
    evidence = quoted(said)
    if libtpu:
        evidence += (Evidence(fact="libtpu", value=libtpu),)
    if wanted:
        evidence += (
            Evidence(fact=f"libtpu that {wanted[0]} asks for", value=wanted[1], source="specs/tpu/libtpu.yaml"),
        )
    title = f"libtpu {libtpu} is not what {wanted[0]} asks for: {wanted[1]}" if wrong and wanted else None
    yield Problem(
        title=title or "libtpu and the framework do not fit each other",
        evidence=evidence,
        remedies=(_remedy(facts, specs, wanted[1] if wanted else None),),
    )


def _remedy(facts: "Facts", specs: "Specs", wanted: str | None) -> Remedy:
    text = "Install the libtpu of this framework; keep JAX and torch_xla apart"
    if wanted is not None:
        return Remedy(text=f"{text}.", command=f'pip install "libtpu=={wanted}"')
    framework = "torch-xla" if facts.package("torch-xla") and not facts.package("jax") else "jax"
    removed = tuple(p.name for p in facts.packages("libtpu", "libtpu-nightly"))
    machine = machine_of(facts, specs, "tpu")
    return install(facts, specs, framework, text=text, on=machine, again=True, remove=removed)


def _pair(facts: "Facts", specs: "Specs") -> tuple[str | None, tuple[str, str] | None]:
    """Return the installed libtpu, and (framework, libtpu that it asks for)."""
    found = facts.package("libtpu")
    libtpu = found.version if found and found.version and "dev" not in found.version else None  # nightlies are chosen
    table = specs.table("tpu/libtpu") or {}
    for package, key in (("jax", "jax"), ("torch-xla", "torch_xla")):
        framework = facts.package(package)
        for row in table.get(key, ()):
            if framework and framework.version == row["release"] and row["package"] == "libtpu":
                return libtpu, (f"{key} {framework.version}", row["version"])
    return libtpu, None


def _fits(version: str, pin: str) -> bool:
    """
    >>> _fits("0.0.34.1", "0.0.34.*"), _fits("0.0.3", "0.0.34.*"), _fits("0.0.23", "0.0.23")
    (True, False, True)
    """
    return f"{version}.".startswith(pin[:-1]) if pin.endswith(".*") else version == pin
