"""Whether a container was started with everything the vendor requires: nodes, the driver's folders, its version file.

    docker run --device /dev/davinci7 --device /dev/davinci_manager --device /dev/devmm_svm --device /dev/hisi_hdc
        -v /usr/local/dcmi:/usr/local/dcmi -v /usr/local/bin/npu-smi:/usr/local/bin/npu-smi
        -v /usr/local/Ascend/driver/lib64:/usr/local/Ascend/driver/lib64 -v …/driver/version.info:… IMAGE

`--privileged` passes every node, but no folder. The Ascend runtime passes all. For a shortened command ("...")
nothing is known to be missing, but what it names is present.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from accel.model.observation import Command, Fact, Product
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, Specs, fact_from, rule
from accel_ascend.chips import BACKEND

COMPLETE: Final = "npu-container-set-complete"
LACKS: Final = "npu-container-set-lacks"
_ENGINES: Final = ("docker", "podman", "nerdctl", "isula", "docker-compose")
_OURS: Final = pattern(r"ascend|davinci|npu|cann|mindie|910|310p", re.IGNORECASE)
_SHORTENED: Final = pattern(r"\.\.\.|…|<[a-z_ -]+>", exact_case=True)
_UNFILLED: Final = pattern(r"--device[ =]\$\{?\w", exact_case=True)  # an unset variable is taken as a node
_SHARED: Final = ("/dev/davinci_manager", "/dev/devmm_svm", "/dev/hisi_hdc")
_DRIVER: Final = "/usr/local/ascend/driver"
_FOLDERS: Final = (  # each requirement, and the folders that provide it
    ("the driver's libraries", (f"{_DRIVER}/lib64", _DRIVER, "/usr/local/ascend", "/usr/local")),
    ("the driver's version file", (f"{_DRIVER}/version.info", _DRIVER, "/usr/local/ascend", "/usr/local")),
)


@rule(
    gives={
        COMPLETE: "a container was given nodes and driver folders as the vendor asks",
        LACKS: "a container was started without some of what the vendor asks for",
    },
    triggers=tuple(f"command.{engine}" for engine in _ENGINES),
)
def container_set(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for each command that starts a container and names Ascend, or whose text names a chip.
    `lacks` lists what is missing; `partial` means that only a part of the driver's folder is mounted.
    """
    about = any(one.vendor == BACKEND for one in seen.of(Product)) or any(
        report.backend == BACKEND and report.devices for report in seen.snapshot.reports
    )
    new_chip = _is_950(seen)
    variables = {name: value for one in seen.of(Command) for name, value in one.variables}
    for command in seen.of(Command):
        if command.tool not in _ENGINES or command.advice or command.verb not in ("run", "create", "up", "start", ""):
            continue
        text = _filled(command.text, variables)
        if not (_OURS.search(text) or about):
            continue
        lacking = list(_lacking(command, text, new_chip, variables))
        if _SHORTENED.search(text):
            lacking = [item for item in lacking if item.startswith("the whole")]
        elif not lacking and _with_node(text):
            yield fact_from(COMPLETE, command, nodes=" ".join(_nodes(text)) or None)
        if lacking:
            partial = "yes" if f"{_DRIVER}/" in text.lower() else None
            yield fact_from(
                LACKS, command, lacks="; ".join(lacking), partial=partial, nodes=" ".join(_nodes(text)) or None
            )


def _lacking(command: Command, text: str, new_chip: bool, variables: dict[str, str]) -> Iterator[str]:
    options = [_filled(option, variables).lower() for option in command.options]
    if any("ascend" in option for option in options if option.startswith("--runtime")):
        if "ascend_runtime_options=nodrv" in text.lower():
            yield "the driver's folders (ASCEND_RUNTIME_OPTIONS=NODRV)"
        return
    everything = any(option.startswith("--privileged") and not option.endswith("=false") for option in options)
    devices = [option.partition("=")[2].split(":")[0] for option in options if option.startswith("--device=")]
    if not everything and "/dev" not in devices:
        if not any(re.fullmatch(r"/dev/davinci\d+|\$\{?\w{1,60}\}?", device) for device in devices):
            yield "a chip's node /dev/davinci<N>"
        yield from (node for node in _SHARED if node not in devices)
    sources = [_source(option) for option in options if option.startswith(("-v=", "--volume=", "--mount="))]
    for what, folders in _FOLDERS:
        if not any(source in folders for source in sources):
            yield what
    if new_chip and not any(source in (_DRIVER, "/usr/local/ascend", "/usr/local") for source in sources):
        yield "the whole driver folder, with its topology files"


def _source(option: str) -> str:
    value = option.partition("=")[2]
    if option.startswith("--mount="):
        found = re.search(r"(?:source|src)=([^,]+)", value)
        return (found[1] if found else "").rstrip("/")
    return value.split(":")[0].rstrip("/")


def _nodes(text: str) -> Iterable[str]:
    return dict.fromkeys(re.findall(r"/dev/davinci\d+", text))


def _with_node(text: str) -> bool:
    return bool(_nodes(text)) or "--privileged" in text or "runtime" in text or bool(_UNFILLED.search(text))


def _filled(text: str, variables: dict[str, str]) -> str:
    """Return the text with variables replaced by the values that other commands set."""
    return re.sub(r"\$\{?(\w{1,60})\}?", lambda found: variables.get(found[1], found[0]), text)


def _is_950(seen: Seen) -> bool:
    names = [device.name or "" for report in seen.snapshot.reports for device in report.devices]
    names += [product.name or product.text for product in seen.of(Product) if product.vendor == BACKEND]
    return any("950" in name for name in names)
