import re
from collections.abc import Iterable, Iterator
from typing import Final

from accel.facts.containers import ENVIRONMENT, in_container
from accel.model.environment import Framework
from accel.model.observation import Fact
from accel.resolver.programs import foreign_brand, foreign_device
from accel.text.pattern import pattern
from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, applies, check, need, quoted
from accel.vendors.contract.command import assignment_word, command_line
from accel.vendors.toolkit.table_steps import fix, fixes
from accel_nvidia import around
from accel_nvidia.cuda_in_use import newer_cuda
from accel_nvidia.image_requirement import of_image, of_image_tag
from accel_nvidia.version import cuda_of_number, cuda_of_variant, older, parts

_SAID: Final = ("driver-too-old-said", "ptx-newer-than-driver", "call-needs-newer-driver", "forward-compat-refused")
_FRAMEWORKS: Final = ("torch", "jax", "tensorflow")
_TITLES: Final = {
    "forward-compat-refused": "A cuda-compat library is used on a GPU that does not support it; the driver is too old",
    "ptx-newer-than-driver": "The driver is older than the CUDA that compiled the program's PTX",
}
_OF_COMPAT: Final = (
    "The newest driver that supports this GPU is needed: cuda-compat brings the libraries of a newer driver than the "
    "installed one, and only data-centre GPUs may use them. "
)
_MAJOR: Final = pattern(
    r"jax-cuda(\d\d)-(?:plugin|pjrt)|cupy-cuda(\d\d)x|(?:cudf|cuml|rmm|cugraph|cuvs|dask-cudf|tensorrt)-cu(\d\d)"
)
_UNGIVEN: Final = ("image-saw-no-driver", "exec-smi-not-found", "nv-finds-no-driver")
_UNSTARTED: Final = ("math-library-not-started", "jax-cuda-backend-failed")
_COMPATIBLE: Final = 11  # the first CUDA whose drivers support all releases of their major
_NUMBER: Final = pattern(r"\d{4,6}", exact_case=True)
_DRIVER: Final = pattern(r"[3-7]\d\d\.\d{2,3}(?:\.\d{2})?", exact_case=True)
_FLOOR: Final = pattern(r"[3-7]\d\d(?:\.\d{1,3}){0,2}")


@check(
    code="NV001",
    name="driver-too-old",
    layer="driver",
    reads=(
        *_SAID,
        *("driver-insufficient", "driver-version-named", "container-started-with-gpu", "cuda-stub-loaded"),
        *("driver-libraries-incomplete", "torch-build-asked", *around.UNLIKE, "minor-compatibility-on"),
        *("program-without-gpu", ENVIRONMENT, "amd-brand-named", "nvidia-brand-named"),
        *(*_UNGIVEN, *_UNSTARTED),
        *("toolkit-shown", "toolkit-of-image", *around.NO_GPU, *around.AROUND),
    ),
    needs=("nvidia.driver.version", "framework.torch|jax|tensorflow.cuda_version"),
    requires=("vgpu-host-driver-in-guest",),
)
def driver_too_old(facts: Facts, specs: Specs) -> Problems:
    """The kernel driver supports an older CUDA than the framework or the image was built for.

    Why it matters   The program finds no GPU, or stops at its first CUDA call.
    What to do       Update the driver, or install a build for a CUDA version that this driver supports.
    Looks at         the driver version; the CUDA version of each framework build; messages of torch, CUDA and the
                     container hook about the driver; errors 35, 36, 222 and 804
    Silent when      the framework works (a cuda-compat library may be in use); from CUDA 11 on, the driver's major is
                     the same or newer; error 804 when libraries and module differ (NV002), or an image runs without
                     cuda-compat; error 35 in a container without the driver
    Source           NVIDIA: CUDA compatibility, minor-version compatibility; CUDA release notes, table of drivers
    """
    unloaded = facts.first("driver-libraries-incomplete") is not None  # FFmpeg then always asks for a newer driver
    unlike = bool(around.parts_unlike(facts))  # 804 then tells of them: the new libcuda asks the old module
    said = tuple(
        fact
        for fact in facts.stated(*_SAID)
        if not _contradicts_itself(fact, facts)
        and not (unloaded and "nvenc" in fact.text.lower())
        and not (fact.name == "forward-compat-refused" and (unlike or _of_banner(fact, facts)))
    )
    if said:
        image = of_image(facts, specs)
        if image is not None:
            yield image
            return
        yield _of_statement(facts, specs, next(name for name in _SAID if any(f.name == name for f in said)))
        return
    if (image := of_image_tag(facts, specs)) is not None:
        yield image
        return
    foreign = not facts.live and (foreign_device(facts, specs) or foreign_brand(facts))
    applies(not foreign, "the GPU here is from another vendor")
    applies(not _of_another_maker(facts), "the driver that answers is from another vendor, and supports CUDA too")
    ungiven = facts.stated(*_UNGIVEN)  # without the driver's library the runtime also returns 35
    insufficient = () if ungiven else facts.stated("driver-insufficient")
    known = (*facts.environment.frameworks, *_by_name(facts), *_by_release(facts, specs))
    built = any(_cuda_of(one) for one in known)
    usual = None if built else _by_command(facts, specs) or _by_default(facts, specs)
    applies(built or bool(insufficient) or usual is not None, "no framework built for CUDA found")
    problems = list(_computed(facts, specs)) if usual is None else [usual]
    yield from problems
    if insufficient and not problems:
        if around.driver_version(facts) is not None and _served(facts, specs):
            return  # the same error occurs without any driver library
        yield _of_error(facts, specs)


def _of_error(facts: Facts, specs: Specs) -> Problem:
    """Judge error 35 by a toolkit or image in the text; else a driver supports all of its CUDA major from 11 on."""
    known = around.driver_version(facts) or _named_beside(facts)
    system = "windows" if around.on_windows(facts) else "linux"
    serves = specs.toolkit_of_driver("cuda", known, system) if known else None
    major = parts(serves)[0] if serves else None
    told = newer_cuda(facts, serves)
    shown = told if told and "." in told and _lower_cuda(serves or "", told) else None  # a bare major has no driver
    unsure = in_container(facts) and facts.first("container-started-with-gpu") is None and shown is None
    need(None if unsure else True, "whether the driver's libraries are in the container")
    wanted = shown or (f"{major + 1}.0" if major is not None and major >= 11 else None)
    floor = _floor(facts, specs, wanted)
    title, detail = "The driver is older than the CUDA runtime that the program uses", None
    evidence = quoted(facts.stated("driver-insufficient"))
    if floor:
        title = f"Driver {known} supports CUDA {major}; the program is built for a newer major version"
        detail = (
            f"The driver supports every CUDA {major}.x, so the program uses CUDA {wanted} or newer: driver {floor}."
        )
        evidence += (Evidence(fact="driver", value=f"{known}, supports CUDA {serves}"),)
    if floor and shown:
        title, detail = f"Driver {known} supports CUDA {serves}; CUDA {shown} needs driver {floor} or newer", None
    remedies = _remedies(facts, specs, floor)
    if floor and len(remedies) == 1:
        text = f"Keep the driver, and use the program's build or image for CUDA {major}, which it supports."
        remedies += (Remedy(text=text, action="env"),)
    if major is not None:
        remedies = (*remedies[:1], *_older_runners(facts, specs, major), *remedies[1:])
    return Problem(title=title, detail=detail, evidence=evidence, remedies=remedies)


def _named_beside(facts: Facts) -> str | None:
    """Return the driver version on the line of the error, else the only one in the text."""
    lines = {fact.line for fact in facts.stated("driver-insufficient") if fact.line is not None}
    named = [(f.line, f.value("driver") or "") for f in facts.stated("driver-version-named")]
    known = [(line, version) for line, version in named if _DRIVER.fullmatch(version)]
    beside = next((version for line, version in known if line in lines), None)
    required = {fact.line for fact in facts.stated("driver-too-old-said")}  # the version there may be what is wanted
    only = {version for line, version in known if line not in required}
    return beside or (only.pop() if len(only) == 1 else None)


def _older_runners(facts: Facts, specs: Specs, major: int) -> Iterator[Remedy]:
    """Yield how a program that ships runtimes for several CUDA majors selects the one that the driver supports."""
    for row in (specs.table("nvidia/driver_installs") or {}).get("runners", ()):
        if row["major"] == major and facts.mentions(row["program"]):
            yield Remedy(
                text=row["says"],
                command=command_line("export", assignment_word(row["variable"], row["value"])),
                action="env",
            )


def _of_another_maker(facts: Facts) -> bool:
    """Return whether only another vendor's driver and devices are found: some of them speak CUDA too."""
    others = [r for r in facts.snapshot.reports if r.backend not in ("cpu", "nvidia")]
    answers = any(r.driver is not None and r.driver.version and facts.of(r.backend) for r in others)
    return answers and not facts.of("nvidia") and facts.driver("nvidia") is None


def _of_statement(facts: Facts, specs: Specs, name: str) -> Problem:
    from accel_nvidia import ptx

    if name == "ptx-newer-than-driver" and (compiler := ptx.compiled_with(facts, specs)):
        return ptx.problem_of(facts, specs, compiler)
    serves = _serves(facts)
    wanted = next((cuda for f in facts.environment.frameworks if (cuda := _cuda_of(f))), None)
    title = _TITLES.get(name, "The NVIDIA driver is too old for this program")
    if serves:
        title = f"The driver supports CUDA {serves}, older than what the program was built for"
        if wanted:
            title = f"The driver supports CUDA {serves}; the program was built for CUDA {wanted}"
    floor = ptx.driver_of_call(facts, specs, _SAID) or _floor(facts, specs, wanted) or _floor_said(facts)
    major = parts(serves)[0] if serves and floor is None and name == "driver-too-old-said" else 0
    detail = None
    newest = major >= _COMPATIBLE and _floor(facts, specs, f"{major + 2}.0") is None  # no other CUDA can be meant
    if newest and (floor := _floor(facts, specs, f"{major + 1}.0")):
        detail = (
            f"The driver supports every CUDA {major}.x, so the program's build is for CUDA {major + 1} or newer, "
            "whatever the name of an image or package says."
        )
    compat = _OF_COMPAT if name == "forward-compat-refused" and floor is None else None
    remedies = _remedies(facts, specs, _above(facts, floor), compat)
    if name == "ptx-newer-than-driver" and len(remedies) == 1:
        remedies += (Remedy(text=ptx.OLDER_COMPILER, action="env"),)
    if name == "forward-compat-refused":
        restarted = (
            () if around.driver_version(facts) is not None else fixes(specs, "nvidia", "restart-after-driver-update")
        )  # an answer means one version
        inside = in_container(facts)  # the loader finds the image's compat without LD_LIBRARY_PATH
        remedies = (
            (*remedies, fix(specs, "nvidia", "image-for-shown-cuda"))
            if inside
            else (fix(specs, "nvidia", "without-compat-folder"), *remedies, *restarted)
        )
    return Problem(title=title, detail=detail, evidence=quoted(facts.stated(name)), remedies=remedies)


def _above(facts: Facts, floor: str | None) -> str | None:
    """Return the minimum driver; None if the installed one meets it: the missing call came in a later one."""
    known = around.driver_version(facts)
    return floor if floor is None or known is None or older(known, floor) else None


def _contradicts_itself(fact: Fact, facts: Facts) -> bool:
    """Return whether the message, or the text around it, names a driver that is new enough for what it requires."""
    wanted = re.sub(r"^[<>=a-z ]+", "", fact.value("wanted") or "")
    found = fact.value("found") or (_named_beside(facts) if _FLOOR.fullmatch(wanted) else None) or ""
    return bool(_DRIVER.fullmatch(found) and parts(wanted) and not older(found, wanted))


def _of_banner(fact: Fact, facts: Facts) -> bool:
    """Return whether the fact is part of the NVIDIA image's start-up banner, which skips cuda-compat and continues."""
    told = facts.stated("minor-compatibility-on")
    return any(fact.line is not None and one.line is not None and 0 <= fact.line - one.line <= 8 for one in told)


def _serves(facts: Facts) -> str | None:
    """Return the CUDA version that torch reports for the driver: "found version 11040"."""
    found = (fact.value("found") or "" for fact in facts.stated("driver-too-old-said"))
    return next((cuda for text in found if _NUMBER.fullmatch(text) and (cuda := cuda_of_number(text))), None)


def _floor_said(facts: Facts) -> str | None:
    """Return the minimum driver that the program's message names."""
    bounds = (re.sub(r"^[<>=a-z ]+", "", f.value("wanted") or "") for f in facts.stated("driver-too-old-said"))
    return next((bound for bound in bounds if _FLOOR.fullmatch(bound)), None)


def _computed(facts: Facts, specs: Specs) -> Iterable[Problem]:
    driver = facts.driver("nvidia")
    serves = driver.toolkit_version if driver is not None else None
    versions = _versions(facts)
    for built in (*facts.environment.frameworks, *_by_name(facts), *_by_release(facts, specs)):
        wanted = _cuda_of(built)
        if wanted is None or built.available is True:
            continue
        floor = _floor(facts, specs, wanted)
        if versions:
            least = need(floor, f"the oldest driver that supports CUDA {wanted}")
            too_old = all(older(version, least) for version in versions)
        elif serves is not None:
            too_old = _lower_cuda(serves, wanted)
        elif facts.seen("nvidia") and built.available is False:
            too_old = need(None, "the driver's version")
        else:
            continue
        if not too_old:
            continue
        if in_container(facts) and built.available is None and not around.sees_no_gpu(facts):
            need(None, "whether the container has a cuda-compat library that makes up for the driver")
        known = versions[0] if versions else f"of CUDA {serves}"
        yield Problem(
            title=f"Driver {known} is too old for {built.name} built for CUDA {wanted}",
            detail=f"CUDA {wanted} needs driver {floor} or newer." if floor else None,
            evidence=(
                Evidence(fact="driver", value=known),
                Evidence(fact=f"{built.name} built for CUDA", value=wanted),
            ),
            remedies=_remedies(facts, specs, floor),
        )
        return


def _by_name(facts: Facts) -> Iterable[Framework]:
    """Yield packages whose name gives the CUDA major they are built for: jax-cuda12-plugin, cupy-cuda12x."""
    for package in facts.packages():
        if found := _MAJOR.fullmatch(package.name):
            major = found[1] or found[2] or found[3]
            yield Framework(name=package.name, version=package.version, cuda_version=f"{major}.0")


def _by_release(facts: Facts, specs: Specs) -> Iterable[Framework]:
    """Yield JAX with the oldest CUDA major that its release has builds for, if a CUDA library failed to start in it.

    JAX then reports a handle or an internal error and does not mention the driver.
    """
    jax = facts.framework("jax")
    if jax is None or jax.version is None or _cuda_of(jax) or not facts.stated(*_UNSTARTED):
        return
    release = specs.framework("jax", jax.version)
    builds = [b for b in (release.builds if release is not None else ()) if b.variant.startswith("cuda")]
    majors = sorted({int(number) for b in builds if (number := b.variant.removeprefix("cuda")).isdecimal()})
    if majors:
        yield Framework(name="jax", version=jax.version, cuda_version=f"{majors[0]}.0")


def _by_default(facts: Facts, specs: Specs) -> Problem | None:
    """Judge a torch that finds no GPU, with only its version known, by the build that pip installs by default."""
    torch, versions = facts.framework("torch"), _versions(facts)
    if torch is None or torch.version is None or torch.available is not False or not versions:
        return None
    if torch.built_for not in (None, "cuda") or torch.variant or _channel(facts) == "conda":
        return None
    if facts.host.system != "linux" or facts.host.machine not in (None, "x86_64"):
        return None
    release = specs.framework("torch", torch.version if torch.version.count(".") > 1 else f"{torch.version}.0")
    builds = release.builds if release is not None else ()
    wanted = next((b.toolkit_version for b in builds if b.default and b.platform == "linux_x86_64"), None)
    floor = _floor(facts, specs, wanted)
    if wanted is None or floor is None or not all(older(version, floor) for version in versions):
        return None
    return Problem(
        title=f"Driver {versions[0]} is too old for torch {torch.version}, whose usual build is for CUDA {wanted}",
        detail=f"CUDA {wanted} needs driver {floor} or newer.",
        evidence=(
            *quoted(facts.stated("driver-version-named")),
            Evidence(fact="driver", value=versions[0]),
            Evidence(fact="torch", value=torch.version),
            Evidence(fact="torch.cuda.is_available()", value="False"),
        ),
        remedies=_remedies(facts, specs, floor),
    )


def _by_command(facts: Facts, specs: Specs) -> Problem | None:
    """Judge a torch that finds no GPU by the build that its install command requested."""
    torch, versions = facts.framework("torch"), _versions(facts)
    unseen = around.sees_no_gpu(facts) or (torch is not None and torch.available is False)
    asked = next((f for f in facts.stated("torch-build-asked") if f.value("cuda")), None)
    if asked is None or not unseen or not versions or (torch is not None and torch.built_for not in (None, "cuda")):
        return None
    wanted = asked.value("cuda")
    floor = _floor(facts, specs, wanted)
    if not (floor and all(older(version, floor) for version in versions)):
        return None
    return Problem(
        title=f"Driver {versions[0]} is too old for the installed torch, which is built for CUDA {wanted}",
        detail=f"CUDA {wanted} needs driver {floor} or newer.",
        evidence=(*quoted((asked,)), Evidence(fact="driver", value=versions[0])),
        remedies=_remedies(facts, specs, floor),
    )


def _channel(facts: Facts) -> str | None:
    return next((p.channel for e in facts.environments for p in e.packages or () if p.name == "torch"), None)


def _versions(facts: Facts) -> tuple[str, ...]:
    """Return the driver version that a tool prints, or the versions that the user names when a program sees no GPU."""
    driver = facts.driver("nvidia")
    if driver is not None and driver.version is not None and parts(driver.version):
        return (driver.version,)
    if (driver is not None and driver.toolkit_version is not None) or not around.sees_no_gpu(facts):
        return ()
    named = (fact.value("driver") or "" for fact in facts.stated("driver-version-named"))
    return tuple(version for version in named if _DRIVER.fullmatch(version))


def _served(facts: Facts, specs: Specs) -> bool:
    """Return whether the driver is known to support every framework's CUDA version."""
    version = around.driver_version(facts)
    wanted = [cuda for f in facts.environment.frameworks if (cuda := _cuda_of(f))]
    floors = [_floor(facts, specs, cuda) for cuda in wanted]
    return bool(version and floors) and all(floor and not older(version or "", floor) for floor in floors)


def _cuda_of(framework: Framework) -> str | None:
    if framework.built_for not in (None, "cuda"):
        return None
    return framework.cuda_version or cuda_of_variant(framework.variant)


def _floor(facts: Facts, specs: Specs, cuda: str | None) -> str | None:
    toolkit = specs.toolkit("cuda", ".".join(cuda.split(".")[:2])) if cuda else None
    if toolkit is None:
        return None
    return toolkit.driver_floor_windows if around.on_windows(facts) else toolkit.driver_floor


def _lower_cuda(served: str, wanted: str) -> bool:
    """Compare majors from CUDA 11 on, where minors are compatible; compare minors too before that."""
    have, want = parts(served), parts(wanted)
    return bool(have and want) and (have[0] < want[0] if want[0] >= 11 else have[:2] < want[:2])


def _remedies(facts: Facts, specs: Specs, floor: str | None, why: str | None = None) -> tuple[Remedy, ...]:
    from accel.resolver.remedies import install, machine_of
    from accel_nvidia.driver_install import newer_driver

    named = _versions(facts)
    machine = machine_of(facts, specs, "nvidia", driver=named[0] if named else None, serves=_serves(facts))
    remedies = [newer_driver(facts, specs, floor, why)]
    framework = next((f.name for f in facts.environment.frameworks if f.name in _FRAMEWORKS and _cuda_of(f)), None)
    torchs = any("pytorch.org" in fact.text for fact in facts.stated("driver-too-old-said"))  # its message has it
    framework = framework or ("torch" if torchs or facts.stated("torch-build-asked") else None)
    if framework is not None and (machine.drivers or machine.serves):
        kept = install(facts, specs, framework, text="Keep the driver and install a build that it supports", on=machine)
        remedies += [kept] if kept.command is not None else []
    return tuple(remedies)
