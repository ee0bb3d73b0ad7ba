"""The pins of a requirements or lock file, as requests that can be checked against a machine.

Reads   requirements.txt, pip-compile's and pip freeze's output      torch==2.4.0+cu121 ; sys_platform == "linux" \\
                                                                         --hash=sha256:…
                                                                     --index-url https://download.pytorch.org/whl/cu121
        uv.lock, poetry.lock, pdm.lock, pylock.toml                  [[package]] / name = "torch" / version = "2.4.0"
        Pipfile.lock                                                 {"default": {"torch": {"version": "==2.4.0"}}}
        environment.yml                                              - pytorch::pytorch=2.4.0=py3.11_cuda12.1_0
        pyproject.toml                                               dependencies = ["torch>=2.4"]
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from accel.model.dataclass import replace
from accel.model.errors import BadInput
from accel.resolver.catalogue import Catalogue
from accel.resolver.request import Request, parse_request
from accel.resolver.target import Target
from accel.text.pattern import pattern
from accel.text.versions import normalised

_VARIANT_OF_URL: Final = pattern(r"/(cu\d{2,3}|cpu|xpu|rocm[\d.]+)/?(?=[\s\"'#]|$)", exact_case=True)
_QUOTED: Final = pattern(
    r"[\"']([A-Za-z][\w.-]{0,120}\s{0,9}(?:\[[^\]\"']{0,200}\]\s{0,9})?"
    r"(?:[<>=!~][^\"';]{0,200})?)(;[^\"']{0,400})?[\"']",
    exact_case=True,
)
_PACKAGE_OF_CONDA: Final = pattern(
    r"^\s*-\s+(?:[\w./-]{1,120}::)?([A-Za-z][\w.-]*)(?:(?:\s*(=|[<>=!~]=?)\s*|\s+)([\w.*]+))?(?:=(\S+))?\s*$",
    exact_case=True,
)
_PLUGINS: Final = pattern(r"(?P<package>jax)-(?P<variant>cuda\d+|rocm\d+)-plugin", exact_case=True)


def read_requirements(text: str, name: str, catalogue: Catalogue, target: Target) -> tuple[Request, ...]:
    """Return the file's requirements on packages that accel knows, with the builds that an installer would choose.

    Raises BadInput if it names none of them.
    """
    lines = list(_requirements(text, target))
    index = _VARIANT_OF_URL.search(text)
    plugins = [m for line in lines if (m := _PLUGINS.match(normalised(re.split(r"[\s=<>!~\[]", line, maxsplit=1)[0])))]
    variants = {m["package"]: m["variant"] for m in plugins}
    found: dict[str, Request] = {}
    for line in lines:
        request = _request(line, catalogue)
        if request is not None and (request.name not in found or not found[request.name].bound):
            found[request.name] = request
    if not found:
        known = ", ".join(sorted(catalogue.packages))
        raise BadInput(f"{name}: it names no package that accel knows builds of. It knows: {known}")
    return tuple(
        _placed(r, index[1] if index else None, variants.get(r.name), catalogue, target) for r in found.values()
    )


def unknown_versions(requests: Sequence[Request], catalogue: Catalogue) -> tuple[tuple[Request, ...], tuple[str, ...]]:
    """Return the requests that the tables can judge, and a sentence for each of the others."""
    judged, notes = [], []
    for request in requests:
        exact = re.fullmatch(r"={2,3}([^*]+)", request.bound)
        if request.name in catalogue.companions and exact and catalogue.specs.companion(request.name, exact[1]) is None:
            notes.append(f"{request.name} {exact[1]} is not in the tables: not checked")
        else:
            judged.append(request)
    return tuple(judged), tuple(notes)


def _requirements(text: str, target: Target) -> Iterator[str]:
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith("{"):
        yield from _of_json(text)
    elif re.search(r"^\[\[packages?\]\]", text, re.MULTILINE):
        yield from _of_lock(text)
    elif re.search(r"^dependencies:\s*$", text, re.MULTILINE):
        yield from _of_conda(text)
    elif re.search(r"^\[(project|tool\.|build-system)", text, re.MULTILINE):
        for found in _QUOTED.finditer(text):
            if _applies(found[2], target):
                yield found[1]
    else:
        yield from _of_lines(text, target)


def _of_lines(text: str, target: Target) -> Iterator[str]:
    for line in text.replace("\\\n", " ").replace("\\\r\n", " ").splitlines():
        line = re.split(r"(?:^|\s)#", line, maxsplit=1)[0].strip()
        requirement, _, marker = re.split(r"\s--", line, maxsplit=1)[0].partition(";")
        if requirement and not requirement.startswith("-") and " @ " not in requirement and _applies(marker, target):
            yield requirement.strip()


def _of_lock(text: str) -> Iterator[str]:
    for block in re.split(r"^\[\[packages?\]\]\s*$", text, flags=re.MULTILINE)[1:]:
        name = re.search(r'^name\s*=\s*"([^"]+)"', block, re.MULTILINE)
        version = re.search(r'^version\s*=\s*"([^"]+)"', block, re.MULTILINE)
        if name and version:
            yield f"{name[1]}=={version[1]}"


def _of_json(text: str) -> Iterator[str]:
    try:
        sections = json.loads(text)
    except ValueError as error:
        raise BadInput(f"the file is not a complete JSON document: {error}. Write it again with its tool") from None
    for section in ("default", "develop"):
        entries = sections.get(section)
        for name, entry in entries.items() if isinstance(entries, dict) else ():
            yield f"{name}{entry.get('version', '') if isinstance(entry, dict) else ''}"


def _of_conda(text: str) -> Iterator[str]:
    for line in text.splitlines():
        found = _PACKAGE_OF_CONDA.match(line.split(" #")[0])
        if found:
            sign = "==" if found[2] == "=" else found[2]
            version = f"{found[3]}.*" if found[2] == "=" and found[3] and found[3].count(".") < 2 else found[3]
            yield f"{found[1]}{sign}{version}" if sign and version else found[1]


def _request(line: str, catalogue: Catalogue) -> Request | None:
    name = re.match(r"[A-Za-z0-9][\w.-]*", line)
    if name is None or not catalogue.knows(name[0]):
        return None
    try:
        request = parse_request(line)
    except BadInput:
        return None
    return replace(request, name=catalogue.name_of(request.name)) if name[0].lower() != "jaxlib" else None


def _placed(request: Request, index: str | None, plugin: str | None, catalogue: Catalogue, target: Target) -> Request:
    """Return the request with the build that an installer would choose, if it names none itself."""
    record = catalogue.packages.get(request.name)
    if request.variant is not None or record is None:
        return request
    if "index" in record:
        exact = re.fullmatch(r"==([\d.]+)", request.bound)
        build = catalogue.specs.build(record["table"], exact[1], platform=target.platform) if exact else None
        variant = index or (build.variant if build is not None else None)
        return replace(request, variant=variant, meant=index is not None) if variant else request
    return replace(request, variant=plugin) if plugin else request


def _applies(marker: str | None, target: Target) -> bool:
    """Return whether an environment marker applies to the target; a marker that cannot be parsed applies."""
    marker = (marker or "").strip(" ;\t")
    if not marker:
        return True
    from packaging.markers import InvalidMarker, Marker, UndefinedEnvironmentName

    system, machine = target.platform.split("_", 1)
    environment = {
        "sys_platform": {"macos": "darwin", "windows": "win32"}.get(system, system),
        "platform_system": {"macos": "Darwin", "windows": "Windows"}.get(system, "Linux"),
        "os_name": "nt" if system == "windows" else "posix",
        "platform_machine": {"windows": {"x86_64": "AMD64"}.get(machine, machine)}.get(system, machine),
        "extra": "",
    }
    if target.python is not None:
        environment["python_version"] = target.python.rstrip("t")
        exact = target.exact_python or ""
        environment["python_full_version"] = exact if exact.count(".") > 1 else f"{exact}.0"
    try:
        return Marker(marker).evaluate(environment)
    except (InvalidMarker, UndefinedEnvironmentName):
        return True
