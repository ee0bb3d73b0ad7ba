"""GPUs that a person, or a program in a sentence, names without a list.

    GPU: 2080Ti                     GPU type: NVIDIA A100-SXM4-80GB         NVIDIA GPU detected: NVIDIA GB10
    4 GeForce RTX 2080 GPUs         My 3090 GPUs                            Ubuntu 20.04, 1070
    Your Tesla T4 GPU has compute capability 7.5
    NVIDIA H100 PCIe with CUDA capability sm_90 is not compatible with the current PyTorch installation.

Only what has the form of a product's name, in a phrase that says it is there, is taken; of plain phrases only if they
all name one product. If the text holds a list of NVIDIA's own, only facts about its boards are added.
"""

from collections.abc import Iterator
from typing import Any, Final

from accel.backend import Reader, Reading
from accel.pattern import Pattern, pattern
from accel_nvidia.found import full_name, gpu, is_foreign, reading
from accel_nvidia.model import NvidiaDevice
from accel_nvidia.placing import listed, placed, same_product
from accel_nvidia.product_names import MAYBE, NAME
from accel_nvidia.readers.device_properties import listing_readers, named

SOURCE: Final = "text"
TRUST: Final = 10
MOST: Final = 64  # boards of one count

_Named = tuple[str, int, str | None, int]
_MARK: Final = "\ua66e"  # a letter of no report: stands for a name in phrases, whose forms are then quick to compile
_COUNT: Final = r"(?:(?P<count>\d{1,2}) ?[x×*]? ?)?"
_MARKED: Final = rf"(?P<name>{_MARK})"
_NAME: Final = pattern(NAME)
_MAYBE: Final = pattern(MAYBE)
_LABEL: Final = (
    r"(?i:^\W*(?:(?:nvidia )?gpu(?: type| models?(?: and memory)?| name| info| device)?|graphics card|video card"
    r"|accelerator|cuda device name)(?:\(s\)|s)?(?: detected| used)?)\s*[:=|]\s*"
)
_SYSTEM: Final = r"(?i:^\W*(?:os\s*[:=]\s*)?(?:ubuntu|debian|windows|centos|rhel|fedora|arch|wsl|linux)[^,\n]{0,30})"
_STATED: Final = tuple(
    pattern(form)
    for form in (
        rf"{_LABEL}{_COUNT}{_MARKED}",
        rf"^\W*(?:(?:NVIDIA|GeForce|Tesla|Quadro) )?(?P<branded>{_MARKED})\W*$",
        r"(?i:gpu(?: is| detected)?|detected gpu|found gpu|using gpu|device|cuda:\d)\s*[:=]?\s+"
        r"(?P<name>(?:NVIDIA|Nvidia) \S[^,:;()\n]*?)(?=\s*(?:$|[,:;()]|\bVRAM\b|\bwith\b| \|))",
        r"(?:^|: )(?P<name>[A-Z][^:,\n]*?) with CUDA capability sm_(?P<sm>\d+)[a-z]? is not compatible",
        r"Your (?P<name>\S.*?) GPU has compute capability (?P<cc>\d+\.\d)",
    )
)
_PLAIN: Final = tuple(
    pattern(form)
    for form in (
        rf"(?<![\w.]){_COUNT}{_MARKED} ?(?i:GPU|card)s?\b",
        rf"(?i:\b(?:my|an?|i have|we have|using)) {_COUNT}{_MARKED}",
        rf"(?<![\w.])(?P<count>\d{{1,2}}) ?(?:[x×*] ?)?{_MARKED}",
        rf"(?i:\bGPUs?) {_MARKED}",
        rf"{_SYSTEM},(?:[^,\n]{{0,40}},)*\s*{_MARKED}\s*(?:,|$)",
    )
)
_NOT_HERE: Final = pattern(
    r"(?i)\b(?:support(?:s|ed)?|such as|e\.g|like|unlike|instead of|other than|newer|older|recommend\w*|requires?"
    r"|minimum|at least|works? (?:fine )?on|another|different|compared|only available|later|buy|https?)\b"
)


def read(text: str) -> Iterator[Reading]:
    """Yield one reading, or nothing: at most the boards that the text states to be there."""
    stated: list[_Named] = []
    plain: list[_Named] = []
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > 600 or not (_MAYBE.search(line) or " GPU has compute" in line or "CUDA capability" in line):
            continue
        found = _found(line, number, _STATED)
        stated += found
        if not found and not _NOT_HERE.search(line):
            plain += _found(line, number, _PLAIN)
    chosen = stated or (plain if all(same_product(plain[0][0], name) for name, *_ in plain) else [])
    if not chosen:
        return
    known = listed(text, listing_readers())
    if not known and any(True for _ in named(text)):
        return
    devices = placed(_devices(chosen), known)
    if known:
        devices = tuple(device for device in devices if device.compute_capability is not None)
    if devices:
        yield reading(SOURCE, TRUST, devices=devices, lines=(chosen[0][3], chosen[-1][3]))


def _found(line: str, number: int, forms: tuple[Pattern, ...]) -> list[_Named]:
    """Return (name, count, compute capability, line) of the first phrase that the line fits."""
    names = [match[0] for match in _NAME.finditer(line)]
    marked = _NAME.sub(_MARK, line.replace(_MARK, "?"))
    for form in forms:
        has_mark = _MARK in form.pattern
        match = form.search(marked if has_mark else line) if names or not has_mark else None
        if match is None:
            continue
        values: dict[str, Any] = match.groupdict()
        said = names[marked.count(_MARK, 0, match.start("name"))] if has_mark else values["name"]
        name = full_name(said)
        if name is None or is_foreign(name) or not (has_mark or "NVIDIA" in name or _NAME.search(name)):
            continue
        if values.get("branded") and name[0].isdigit():  # a number alone on its line is no product
            continue
        count = int(values.get("count") or 1)
        capability = values.get("cc")
        if sm := values.get("sm"):
            capability = f"{sm[:-1]}.{sm[-1]}"
        return [(name, count if 0 < count <= MOST else 1, capability, number)]
    return []


def _devices(chosen: list[_Named]) -> list[NvidiaDevice]:
    """Return one device for each product named, and as many as it was counted."""
    products: list[list[Any]] = []
    for name, count, capability, _ in chosen:
        home = next((product for product in products if same_product(product[0], name)), None)
        if home is None:
            products.append([name, count, capability])
        else:
            home[1] = max(home[1], count)
            home[2] = home[2] or capability
    result: list[NvidiaDevice] = []
    for name, count, capability in products:
        for _ in range(count):
            result.append(gpu(len(result), name=name, compute_capability=capability))
    return result


READER: Final = Reader(name=SOURCE, signs=(), read=read)
