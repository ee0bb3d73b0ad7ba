"""`accel.resolve`: which builds of packages fit a machine, this one or a described one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from accel.apps import api
from accel.model.errors import BadInput

if TYPE_CHECKING:
    from accel.model.snapshot import Snapshot
    from accel.resolver.command import Installer
    from accel.resolver.records import Resolution
    from accel.resolver.target import Target
    from accel.resolver.variants import PublishedVariant


def resolve(
    packages: str | Sequence[str] = (),
    *,
    of: "Snapshot | None" = None,
    requirements: str | None = None,
    installer: "Installer" = "pip",
    variant: str | None = None,
    gpus: str | Sequence[str] = (),
    driver: str | None = None,
    python: str | None = None,
    system: str | None = None,
    machine: str | None = None,
    libc: str | None = None,
    stack: str | None = None,
    cuda: str | None = None,
    index: str | None = None,
) -> "Resolution":
    """Return which release and build of each package fits, why others do not, and the command that installs it.

    packages      "torch", "torch==2.4.0", ["jax", "torchvision"]; companions are matched to their framework. Or a whole
                  sentence, "vllm for an RTX 5090 on Windows 11 with Python 3.13": other arguments take precedence
    of            another machine's snapshot; None: this machine, unless gpus names one
    requirements  the text of a requirements or lock file, checked as it stands
    installer     the installer to write the command for: "pip", "uv" or "conda"
    variant       only this build: "cu126", "cpu"
    gpus, driver, python, system, machine, libc, stack, cuda   overrides for the machine: ["RTX 5090"], "570", "3.12"
                  or an interpreter's path, "linux" or "Ubuntu 22.04", "x86_64", "2.31", "cann=8.0.0", and the CUDA that
                  nvidia-smi prints, "12.2"
    index         the only index that builds may come from: "pypi"; None: all that accel knows

    Raises BadInput for an unknown package, device or version, with the nearest matches.
    """
    from accel.model.dataclass import replace
    from accel.resolver.catalogue import catalogue_of
    from accel.resolver.choose import resolve_requests
    from accel.resolver.request import parse_request
    from accel.resolver.sentence import wish_in
    from accel.specs.age import old_data, today

    specs = api._specs()
    catalogue = catalogue_of(specs)
    asked = [packages] if isinstance(packages, str) else list(packages)
    told: dict[str, Any] = {"gpus": [gpus] if isinstance(gpus, str) else gpus, "driver": driver, "python": python}
    told |= {"system": system, "machine": machine, "libc": libc, "stack": stack, "cuda": cuda, "index": index}
    wish = wish_in(asked, specs, catalogue)
    if wish is not None:
        told, installer = wish.beside(told), (wish.installer if installer == "pip" else None) or installer
    target = _asked_target(of, told, elsewhere=wish is not None and bool(wish.system))
    requests = [parse_request(text) for text in asked] if wish is None else list(wish.packages)
    unjudged = wish.unjudged if wish is not None else ()
    if variant is not None:
        requests = [replace(request, variant=variant) for request in requests]
    if requirements is not None:
        from accel.resolver.requirements_file import read_requirements, unknown_versions

        pinned = read_requirements(requirements, "the requirements", catalogue, target)
        judged, unknown = unknown_versions(pinned, catalogue)
        requests += judged
        unjudged = (*unjudged, *unknown)
    found = resolve_requests(specs, requests, target, installer)
    names = [chosen.package for chosen in found.chosen] or [request.name for request in requests]
    companions = [one.package for one in found.chosen if one.variant and one.package in catalogue.companions]
    more = (*unjudged, *old_data(specs, names, today(), companions))
    return replace(found, notes=(*found.notes, *more)) if more else found


def published_variants(
    document: object, *, of: "Snapshot | None" = None, **told: "str | Sequence[str] | None"
) -> "tuple[PublishedVariant, ...]":
    """Return a release's published wheel variants, in the order an installer prefers them, with reasons.

    document  the decoded NAME-VERSION-variants.json that is published next to the wheels
    of, told  as for `resolve`: another machine's snapshot, or gpus, driver, python, system, machine, libc, stack, cuda

    Raises BadInput if the document is not of that kind.
    """
    from accel.resolver.variants import published_variants as judged

    every = dict.fromkeys(("driver", "python", "system", "machine", "libc", "stack", "cuda", "index"))
    target = _asked_target(of, {"gpus": (), **every, **told})
    return judged(document, target, api._specs())


def _asked_target(of: "Snapshot | None", told: dict[str, Any], elsewhere: bool = False) -> "Target":
    """Return the machine to resolve for: a snapshot's, this one, or one described by options; options applied."""
    from accel.model.dataclass import replace
    from accel.resolver.hosts import housed
    from accel.resolver.target import Target
    from accel.resolver.what_if import changed, python_said

    if told["python"] is not None and not python_said(told["python"])[:1].isdecimal():
        told["python"] = _version_of_interpreter(told["python"])
    elsewhere = of is None and bool(told["gpus"] or elsewhere)
    specs = api._specs()
    target = housed(changed(Target() if elsewhere else _target(of), specs, **told), specs)
    if elsewhere:
        return replace(target, system=target.system or "linux", machine=target.machine or "x86_64")
    return target


def _version_of_interpreter(path: str) -> str:
    """Return the version of the interpreter at this path, by running it. Raises BadInput if that fails."""
    from accel.collect.environment.interpreter import interpreter_of

    interpreter, gaps = interpreter_of(api._machine(), path)
    if interpreter is None:
        raise BadInput("; ".join(gap.reason for gap in gaps))
    return interpreter.version


def _target(of: "Snapshot | None") -> "Target":
    """Return the machine to resolve for: a snapshot's, or this one, reading only what matters."""
    from accel.facts.questions import Facts
    from accel.resolver.target import target_of

    if of is None:
        from accel.collect.environment.interpreter import interpreter_of
        from accel.collect.host import host_facts
        from accel.model.environment import Environment
        from accel.model.snapshot import Snapshot

        interpreter, _ = interpreter_of(api._machine(), None)
        reports = api._reports(*api._way(None, None))
        environment = Environment(python_version=interpreter.version if interpreter is not None else None)
        of = Snapshot(host=host_facts(api._machine()), environments=(environment,), reports=reports)
    return target_of(Facts(of), api._specs())
