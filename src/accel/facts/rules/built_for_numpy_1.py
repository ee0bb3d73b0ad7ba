"""Packages built for NumPy 1 in an environment with NumPy 2, by their versions alone."""

from collections.abc import Iterator

from accel.model.environment import Environment
from accel.model.observation import Fact
from accel.specs import Specs
from accel.specs.versions import numbers
from accel.vendors.contract.rule import Seen, rule

LISTED = "built-for-older-numpy"


@rule(
    gives={LISTED: "an installed package was built for NumPy 1, and NumPy 2 is installed with it"},
    triggers=("package.numpy",),
)
def built_for_numpy_1(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for an environment with one version of each, if the package is older than its first release for NumPy 2.

    Only for packages whose wheels do not declare it, so that installers combine them: specs/frameworks/numpy2.
    """
    rows = (specs.table("frameworks/numpy2") or {}).get("packages", ())
    for environment in seen.snapshot.environments:
        numpy = _only(environment, "numpy")
        if not numpy or numbers(numpy)[:1] < (2,):
            continue
        for row in rows:
            for name in row["names"]:
                version = _only(environment, name)
                if version and () < numbers(version) < numbers(row["first"]):
                    yield _fact(environment, numpy, name, version, row)


def _fact(environment: Environment, numpy: str, name: str, version: str, row: "dict[str, str]") -> Fact:
    values = {"has": numpy, "package": name, "version": version, "first": row["first"], "breaks": row["breaks"]}
    text = f"numpy {numpy}, {name} {version}"
    return Fact(name=LISTED, text=text, values=tuple(values.items()), source=environment.source)


def _only(environment: Environment, name: str) -> str | None:
    """Return the version of a package if exactly one is listed; else None."""
    versions = {p.version for p in environment.packages or () if p.name == name and p.version}
    versions |= {f.version for f in environment.frameworks if f.name == name and f.version}
    return versions.pop() if len(versions) == 1 else None
