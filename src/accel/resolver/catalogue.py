"""The known packages, and the hardware that each family of builds supports: specs/frameworks/installers.yaml."""

import re
from bisect import bisect_right
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from accel.model.errors import BadInput, BadSpec
from accel.resolver.records import ReleaseWheel
from accel.specs.versions import numbers
from accel.text.versions import normalised
from accel.vendors.contract.command import command_line, package_word, url_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from accel.resolver.records import Candidate
    from accel.resolver.target import Accelerator
    from accel.specs import Specs

Record = dict[str, Any]


class Catalogue:
    """The table, by name. Raises BadSpec if it is missing."""

    def __init__(self, specs: "Specs") -> None:
        table = specs.table("frameworks/installers")
        if table is None:
            raise BadSpec("frameworks/installers.yaml: cannot be read, so no command can be made. Install accel again.")
        self.specs = specs
        self.families: list[Record] = table["families"]
        self.packages: dict[str, Record] = {package["name"]: package for package in table["packages"]}
        self.companions: dict[str, Record] = {record["name"]: record for record in table["companions"]}
        self._makers: list[Record] = table.get("makers") or []
        self.candidates: dict[str, tuple[Candidate, ...]] = {}
        self._branches: dict[str | None, list[int]] = {}  # by the table of a toolkit
        self.neighbours: dict[tuple[str, str, str], tuple[Candidate, ...]] = {}

    @cached_property
    def _by_family(self) -> dict[str, Record]:
        return {family["name"]: family for family in self.families}

    @cached_property
    def _aliases(self) -> dict[str, str]:
        every = {**self.packages, **self.companions}
        return {alias: name for name, record in every.items() for alias in record.get("aliases") or ()}

    @cached_property
    def _distributions(self) -> dict[str, tuple[str, str]]:
        """Return (package, variant) for each distribution whose name implies a build: "cupy-cuda12x".

        If one name covers several variants, the family is given instead: "paddlepaddle-gpu" is any CUDA build.
        """
        found: dict[str, tuple[str, str]] = {}
        for name, package in self.packages.items():
            for variant, distribution in (package.get("distributions") or {}).items():
                if distribution != name:
                    told = self.family_of_variant(variant) if distribution in found else variant
                    found[distribution] = (name, told)
        return found

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return every name of a package: its own, its aliases, and the distributions of its builds."""
        return (*self.packages, *self.companions, *self._aliases, *self._distributions)

    def variant_named(self, text: str) -> str | None:
        """Return the build that a distribution's name implies: "cuda12x" for "cupy-cuda12x"."""
        return self._distributions.get(normalised(text), (None, None))[1]

    def name_of(self, text: str) -> str:
        """Return the package that a text refers to. Raises BadInput with suggestions."""
        name = normalised(text)
        name = self._distributions.get(name, (self._aliases.get(name, name),))[0]
        if name not in self.packages and name not in self.companions:
            from difflib import get_close_matches

            near = get_close_matches(name, self.names, 2, 0.6)
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            raise BadInput(
                f"{text!r} is no package that accel knows builds of.{hint} It knows: {', '.join(sorted(self.names))}"
            )
        return name

    def knows(self, text: str) -> bool:
        """Return whether the name belongs to a package or companion, or is an alias of one."""
        name = normalised(text)
        return any(name in known for known in (self.packages, self.companions, self._aliases, self._distributions))

    def family(self, name: str) -> Record:
        """Return a family by its name."""
        return self._by_family[name]

    def family_of_variant(self, variant: str) -> str:
        """Return the family that a variant's name implies."""
        for family in self.families:
            if re.fullmatch(family["variants"], variant):
                name: str = family["name"]
                return name
        return variant

    def toolkit_floor(self, family: Record, version: str, platform: str) -> str | None:
        """Return the oldest driver on which programs of this toolkit run at all; None if unknown."""
        toolkit = self.specs.toolkit(family["toolkit"], version) if family.get("toolkit") else None
        if toolkit is None:
            return None
        return toolkit.driver_floor_windows if platform == "windows" else toolkit.driver_floor

    def branch(self, family: Record, driver: str) -> int | None:
        """Return the branch that a driver belongs to; Windows drivers are numbered differently within a branch."""
        name = f"{family['vendor']}/{family['toolkit']}" if family.get("toolkit") else None
        if name not in self._branches:
            table = self.specs.table(name) if name else None
            self._branches[name] = sorted({row["branch"] for row in (table or {}).get("serves", ())})
        major = numbers(driver)[:1]
        older = bisect_right(self._branches[name], major[0]) if major else 0
        return self._branches[name][older - 1] if older else (major[0] if major else None)

    def of_makers(self, package: str, system: str, devices: "Sequence[Accelerator]") -> dict[str, str | None]:
        """Return what replaces a framework on devices that need their vendor's own packages: text -> command."""
        return {
            row["text"].format(code=d.code): _own_command(row, d) for row, d in self._made(package, system, devices)
        }

    def command_of_makers(
        self, package: str, system: str, devices: "Sequence[Accelerator]"
    ) -> tuple[str, str | None] | None:
        """Return a vendor's note on its own build for a device, and its install command; None if no row has one."""
        return next((one for one in self.of_makers(package, system, devices).items() if one[1]), None)

    def _made(
        self, package: str, system: str, devices: "Sequence[Accelerator]"
    ) -> "Iterator[tuple[Record, Accelerator]]":
        for row in self._makers:
            for device in devices:
                if (
                    row["package"] == package
                    and row["vendor"] == device.vendor
                    and system in row.get("systems", (system,))
                    and device.code in row.get("codes", (device.code,))
                    and device.architecture in (row.get("architectures") or (device.architecture,))
                ):
                    yield row, device

    def branch_serving(self, family: Record, version: str) -> int | None:
        """Return the newest branch that supports no newer toolkit than this one: nvidia-smi's "12.4" implies 550."""
        table = self.specs.table(f"{family['vendor']}/{family['toolkit']}") if family.get("toolkit") else None
        rows = (table or {}).get("serves", ())
        return max((row["branch"] for row in rows if _at_most(row["toolkit"], version)), default=None)

    def release_wheel(self, package: str, version: str, variant: str, platform: str) -> ReleaseWheel | None:
        """Return the wheel in a project's releases for a variant ("cu129"); None if none is known."""
        wanted = {"package": package, "version": version, "variant": variant}
        row = next((row for row in self._releases.get("wheels") or () if wanted.items() <= row.items()), None)
        project = self._projects.get(package)
        if row is None or project is None or platform not in row["tags"]:
            return None
        tag = row["tags"][platform]
        told = {"version": version, "variant": variant, "tag": tag}
        if numbers(version) >= numbers(project.get("index_from", "0")) and "index" in project:
            return ReleaseWheel(tag=tag, index=project["index"].format(**told))
        return ReleaseWheel(tag=tag, file=project["file"].format(**told)) if "file" in project else None

    def releases_page(self, package: str) -> str | None:
        """Return the page that lists a project's releases with their wheels; None if the project is in no table."""
        project = self._projects.get(package)
        return f"https://github.com/{project['project']}/releases" if project else None

    @cached_property
    def _releases(self) -> Record:
        table: Record | None = self.specs.table("frameworks/release_wheels")
        return table or {}

    @cached_property
    def _projects(self) -> dict[str, Record]:
        return {row["package"]: row for row in self._releases.get("projects") or ()}


@lru_cache(maxsize=2)
def catalogue_of(specs: "Specs") -> Catalogue:
    """Return the catalogue of a spec database; it caches candidates, since a report has several remedies."""
    return Catalogue(specs)


def _at_most(toolkit: str, version: str) -> bool:
    """Return whether a toolkit is no newer than a version, which may be only a major: "12" means any CUDA 12."""
    most = numbers(version)
    return numbers(toolkit)[: len(most)] <= most


def choice(rows: list[Record] | None, variant: str, version: str) -> Record | None:
    """Return the first row whose variants and release range ("first", "last") include this one."""
    for row in rows or ():
        if re.fullmatch(row["variants"], variant) and in_range(row, version):
            return row
    return None


def in_range(row: Record, version: str) -> bool:
    """Return whether a release is in the row's range "first" to "last", both inclusive."""
    number = numbers(version)
    first, last = row.get("first"), row.get("last")
    return (first is None or numbers(first) <= number) and (last is None or number <= numbers(last))


def _own_command(row: Record, device: "Accelerator") -> str | None:
    """Return what installs a maker's own build for a device; None where its row names no index."""
    if "index" not in row or not device.code:
        return None
    extra = row["extra"].format(code=device.code)
    words = (*(package_word(name, extra) for name in row["with_extra"]), *map(package_word, row["beside"]))
    return command_line("pip install --index-url", url_word(row["index"]), *words)
