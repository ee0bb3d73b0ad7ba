"""The resolver's data types and results."""

from accel.model.dataclass import dataclass

RESOLUTION_SCHEMA = "accel.resolution/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One build of one release of a package.

    family         the group of builds that it belongs to: "cuda", "cpu"
    driver_floor   the oldest driver in the package's own table, in its platform's numbering; None: its toolkit's
    architectures  GPU code it contains: ("sm_80", "compute_90"), ("gfx90a",); None if unknown
    linux_tag      the wheel's platform tag: "manylinux_2_28_x86_64"; None if unknown
    pythons        Python versions that have a wheel; None: see python_bound
    python_bound   a requirement on Python: ">=3.12"
    default        a plain install gets this build on its platform
    preferred      the default of its release on any platform
    base_version   the version of the framework it is made for, if it extends one ("torch-npu" extends torch)
    local          whether the variant is a local part of its version
    stack          the vendor software that it was built with, if the driver does not imply it: CANN "8.0.0"
    """

    package: str
    version: str
    variant: str
    platform: str
    family: str
    toolkit_version: str | None = None
    driver_floor: str | None = None
    architectures: tuple[str, ...] | None = None
    linux_tag: str | None = None
    pythons: tuple[str, ...] | None = None
    python_bound: str | None = None
    default: bool = False
    preferred: bool = False
    base_version: str | None = None
    stack: str | None = None
    release_companions: tuple[tuple[str, str], ...] = ()
    local: bool = False

    @property
    def label(self) -> str:
        """Return the release and the build in display form: "2.14.1+cu126", "0.12.0 (cuda13)", "2.9.0.post2"."""
        if self.base_version is not None:
            return self.version
        return f"{self.version}+{self.variant}" if self.local else f"{self.version} ({self.variant})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A package to install. variant is None if the package has no variants of its own."""

    package: str
    version: str
    variant: str | None = None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseWheel:
    """How an installer gets a wheel that a project publishes with its releases but not on the package index.

    tag    the wheel's platform tag: "manylinux_2_28_x86_64"
    index  a package index where the variant is the version's local part; None: the wheel must be given by its address
    file   the wheel's address, for a release that has no index
    """

    tag: str
    index: str | None = None
    file: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A candidate that was not chosen. rule: its name in rules.py; because: the figures that were compared.

    variant is None for every build of this release, or if the package has no variants.
    """

    package: str
    version: str
    variant: str | None = None
    rule: str
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change that makes something fit, or something newer.

    command: installs it after the change; None if there is none.
    """

    text: str
    command: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """The answer. If nothing fits, chosen is empty and command is None.

    fitting   those of several requested packages that fit, if others do not: `changes` has their command
    reason    why nothing fits: of the builds that the fewest rules reject, the least demanding one, and its rule
    rejected  builds that rank above the chosen ones but do not fit, newest first
    upgrade   changes that would make something fit, or something newer; () if none is known
    changes   the same with the command to use after the change
    assumed   unknown facts about the machine, and what was assumed
    assumption  the same in one sentence, with the command that shows the facts; None if nothing was assumed
    """

    schema: str = RESOLUTION_SCHEMA
    machine: str
    chosen: tuple[Chosen, ...] = ()
    fitting: tuple[Chosen, ...] = ()
    reason: Rejected | None = None
    rejected: tuple[Rejected, ...] = ()
    command: str | None = None
    upgrade: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    assumption: str | None = None

    @property
    def fits(self) -> bool:
        """Return whether everything requested has a build that fits."""
        return bool(self.chosen) and self.command is not None
