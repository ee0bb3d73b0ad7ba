"""Strips what tools print around a product's name: possible readings of a pasted text, most literal first.

Seen    "01:00.0 VGA compatible controller [0300]: NVIDIA Corporation AD107M [GeForce RTX 4060 Mobile] [10de:28e0]"
        "NVIDIA GeForce RTX 3060/PCIe/SSE2"  "ANGLE (AMD, AMD Radeon RX 6800 XT Direct3D11 vs_5_0 ps_5_0, D3D11)"
        "AMD Radeon RX 7900 XTX (RADV NAVI31)"  "AMD Ryzen 7 7840U w/ Radeon 780M Graphics"  "GPU 0: Tesla T4 (UUID: …)"
        "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-"  "Intel(R) Graphics [0x56a0]"  "RTX 4070 Laptop (115W TGP)"
        "ggml_vulkan: 0 = Tesla T4 (NVIDIA) | uma: 0 | fp16: 1"  "level=INFO library=cuda name="Tesla T4" total=…"
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Final

from accel.text.pattern import pattern

_LONGEST: Final = 400
_PCI_ID: Final = pattern(r"(?<![0-9a-f:.])([0-9a-f]{4}):([0-9a-f]{4})(?![0-9a-f:.])")
_NVML_ID: Final = pattern(r"\b0x([0-9a-f]{4})(10de)\b")  # what nvidia-smi prints as pci.device_id
_PAIR: Final = pattern(r"(?<![0-9a-z:.])(?:0x)?([0-9a-f]{4})[ ,:]{1,2}(?:0x)?([0-9a-f]{4})(?![0-9a-z:.])")
_VENDORS: Final = ("10de", "1002", "8086", "19e5", "1d0f", "1ae0", "1e52")
_WINDOWS_ID: Final = pattern(
    r"(?:ven_|\bpci:v0000)([0-9a-f]{4})(?:&dev_|d0000)([0-9a-f]{4})(?![0-9a-f])"
)  # and Linux's modalias
_DEVICE: Final = pattern(
    r"(?:\bdevice[ \[(]{1,3}|\b(?:card model|(?:gpu|device|chip|card)[ _]id)\b[\"' \t]{0,3}[:=][\"' \t]{0,8}0x"
    r"|[\[(]0x(?:0000)?)([0-9a-f]{4})(?![0-9a-f])"
)
_PART: Final = pattern(r"(?<![\w-])(?:900|699|692|935|965)-([0-9][0-9a-z]{4})-(\d{4})(?![0-9a-z])")
_GPU_PART: Final = pattern(
    r"(?<![\w-])([0-9a-f]{4})-\d{3}-[a-z]\d(?![\w-])"
)  # nvidia-smi's GPU Part Number: "2321-886-A1"
_TARGET: Final = pattern(r"(?<![a-z0-9])gfx([0-9a-f]{3,4})(?![0-9a-f])")
_CAPABILITY: Final = pattern(r"(?:sm|compute)[ _-]?(\d{1,2})(\d)[af]?")
_ADDRESS: Final = pattern(r"(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f] ")
_IN_BRACKETS: Final = pattern(r" ?\[[0-9a-f]{4}(?::[0-9a-f]{4})?\]")
_GROUP: Final = pattern(r"\([^()]{0,200}\)")
_WATTS: Final = pattern(r"(?<![a-z0-9.])\d{2,3} ?w(?:\+\d{1,3} ?w)?(?![a-z0-9])")
_PORTABLE: Final = pattern(
    r"(?<![a-z0-9])((?:rtx|gtx)? ?(?:(?:[2345]0|1[06])[5-9]0(?: ?ti)?|a[1-5][05]00))m(?![a-z0-9])"
)
_UNITS: Final = pattern(r"(?:\bgpu )?\b(\d{1,2}) ?cu\b")  # what OpenCL calls the cores of Apple's GPUs
_EXECUTION_UNITS: Final = pattern(r"\b(\d{2,3}) ?eus?\b")  # of Intel's graphics
_SUM: Final = pattern(
    r",? ?\b\d{1,5} ?[gt]i?b (?:of )?(?:(?:v?ram|memory) )?(?:in )?(?:total|combined)\b(?: v?ram\b| memory\b)?"
    r"|\b(?:total|combined)(?: v?ram| memory)?[ :=]{1,3}\d{1,5} ?[gt]i?b\b"
)
_SPEED: Final = pattern(r",? ?\b\d{1,2}(?:\.\d)? ?gbps\b")  # of a memory's pin
_API: Final = pattern(r" (?:opencl |level-zero |vulkan )?\d{1,2}\.\d{1,2}(?: neo)?$")  # after a name printed by sycl-ls
_FIELD: Final = pattern(r"(?:\b|_)name=(?:\"([^\"]{1,80})\"|([\w-]{2,40}))")
_TAG: Final = pattern(r"</?[a-z][^<>]{0,40}>")
_MEMORY: Final = pattern(r",? ?\b(\d{3,6}) ?mib\b")
_SIZE: Final = pattern(
    r"(?<![\w.-])(\d{1,3}) ?g(?:i?b)?(?![\w/])(?! ?(?:ram|ddr|ssd|nvme|disk|system|of ram|memory|内存))"
)
_SIZE_LEFT: Final = pattern(
    r"[a-z]{0,2}\d{2,4}(?: ?(?:ti|xt|super))? (?:[468]|\d{2})$"
)  # of memory, without its unit: "A100 40"
_VRAM: Final = pattern(r"\b(\d{1,3}) ?gi?b (?:of )?(?:v?ram|显存|of memory|memory)\b")
_VERSION: Final = pattern(r"(?<![\w.])\[?\d{1,4}\.\d{1,5}\.\d{1,6}(?:\.\d{1,6})?\]?(?![\w.])")
_BARE_GIB: Final = pattern(
    r"\b([a-z]{1,4}\d{2,4}[a-z]?)[-_](\d{2,3})(?![\w.])"
)  # what clusters call their GPUs: "h100-96"
_LABEL: Final = pattern(
    r"^[\"'*]{0,2}-{0,2}[a-z][a-z_./ -]{0,60}(?<![\d ])(?:[- #]\d{1,2})?"
    r"[\"'*\]]{0,3} ?[=:] ?[\"'*`\[]{0,2}([^\"'\]]{2,80})[\"'\]]{0,2}"
    r"[,;]?(?: *#.{0,80})?$"
)
_KUBERNETES: Final = pattern(
    r"(?:^|[\s\"'{,(])(?:[a-z0-9-]{1,30}\.){1,4}[a-z]{2,10}/([\w.-]{0,40}(?:product|product-name|model|accelerator|gpu-type))"
    r"[\"']?(?: ?: ?| ?={1,2} ?)[\"']?([a-z][\w.+ -]{1,80})"
)  # a node's label: "nvidia.com/mig-3g.40gb.product=NVIDIA-H100-80GB-HBM3-MIG-3g.40gb"
_DEVICE_KEY: Final = pattern(
    r"\b(amd|intel)\.com/(?:beta\.)?gpu\.device-id[\"']?[=: ]{1,3}[\"']?([0-9a-f]{4})\b"
)  # a node's label: "amd.com/gpu.device-id=74a1"
_DEVICE_KEYS: Final = {"amd": "1002", "intel": "8086"}
_SLICE_KEY: Final = pattern(r"mig-((?:\d{1,2}c\.)?\d{1,2}g\.\d{1,3}gb[\w.]{0,8}?)\.")
_COLUMN: Final = pattern(r"[a-z][a-z_ ]{1,30}?(?:\t[\t ]{0,20}| {3,40})(?=[^\s:=])(.{2,200})$")
_INXI: Final = pattern(r" (?:vendor|driver|bus[ -]id|chip[ -]id|arch): ")  # after a device's name
_QUOTED: Final = pattern(r"\[([0-9a-f]{4})\](?=\" \"[^\"]{0,80}\[([0-9a-f]{4})\]\")")  # lspci -mm: maker and device
_OPTION: Final = pattern(
    r"(?:--(?:gres|gpus|gpus-per-(?:node|task)|constraint|accelerator(?:-type)?|gpu-type)"
    r"[= ]\"?(?:gpu:|type=)?|\bgres=gpu:|(?<= )[gn]pu:)([a-z][\w:.,=-]{1,60})"
)
_SHELL: Final = pattern(r"xilinx_(u\d{2,3}[a-z]?)_[a-z0-9_]{3,60}")  # what xbutil prints: the platform on a card
_LETTER: Final = pattern(r"\b([a-z]) (\d{2,3})\b")
_HEX: Final = pattern(r"\b0x([0-9a-f]{4})\b")
_PLACE: Final = pattern(r"(?<![\w.:])(?:(?:[0-9a-f]{4}|[0-9a-f]{8}):)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f](?![\w.:])")
_RUNTIME: Final = pattern(r"(?<![\w.:])(?:cuda|hip|xpu|npu|mps):\d{1,3}(?![\w.:])")
_MOST_KEYS: Final = 4
_OF_BUS: Final = ("controller", "processing accelerators")
_CLASSES: Final = ("controller", "accelerators", "accelerator", "display", "processor")
_LAYER: Final = pattern(r"(?:^|: )(?:(ANGLE)|D3D12|zink Vulkan \d\.\d) ?\(")
_INTERFACES: Final = ("D3D", "Direct3D", "OpenGL", "Vulkan", "Metal")
_ENDS: Final = (
    *("-SHARED", ", compute capability", ", VRAM", " Direct3D", " Compute Engine", " OpenGL", " Vulkan ", " Metal"),
    *("/PCIe", "/SSE", "/integrated", " (UUID", " (rev ", " (prog-if"),
)
_REGISTERED: Final = ("(r)", "(tm)", "(c)", "®", "™")


def pci_ids_in(text: str) -> list[str]:
    """Return all PCI IDs in lower case: "10de:2330", also from Windows' form PCI\\VEN_10DE&DEV_2330."""
    text = text[:_LONGEST]
    pairs = [(pair[1], pair[2]) for pair in (*_PCI_ID.finditer(text), *_WINDOWS_ID.finditer(text))]
    pairs += [(pair[2], pair[1]) for pair in _NVML_ID.finditer(text)]
    told = [found[1].lower() for found in _HEX.finditer(text)]
    pairs += [(a, b) for a in told for b in told if a in _VENDORS and b not in _VENDORS and len(told) == 2]
    pairs += [(found[1], found[2]) for found in _QUOTED.finditer(text) if found[1].lower() in _VENDORS]
    for pair in _PAIR.finditer(text):
        pairs += [(a, b) for a, b in ((pair[1], pair[2]), (pair[2], pair[1])) if a.lower() in _VENDORS]
    pairs += [("10de", part[1]) for part in _GPU_PART.finditer(text)]
    pairs += [(_DEVICE_KEYS[found[1].lower()], found[2]) for found in _DEVICE_KEY.finditer(text)]
    return list(dict.fromkeys(f"{vendor}:{device}".lower() for vendor, device in pairs))


def part_number_in(text: str) -> str | None:
    """Return what identifies the board in a part number, also as on labels: "21010-0000" for "900-21010-0000-000"."""
    found = _PART.search(text[:_LONGEST])
    return f"{found[1]}-{found[2]}".upper() if found else None


def device_ids_in(text: str) -> list[str]:
    """Return device IDs given without their vendor: "2330" for "NVIDIA Corporation Device 2330"."""
    return [found[1].lower() for found in _DEVICE.finditer(text[:_LONGEST])]


def target_in(text: str) -> str | None:
    """Return the one compiler target that the text names, "gfx90a"; None if there are none or several."""
    found = {f"gfx{target[1].lower()}" for target in _TARGET.finditer(text[:_LONGEST])}
    return found.pop() if len(found) == 1 else None


def capability_in(text: str) -> str | None:
    """Return the compute capability in a text that names nothing else: "8.9" for "sm_89"."""
    found = _CAPABILITY.fullmatch(text.strip())
    return f"{found[1]}.{found[2]}" if found else None


def sizes_in(text: str) -> set[int]:
    """Return every amount of GB in the text that is not the machine's own memory or disk."""
    return {int(found[1]) for found in _SIZE.finditer(text[:_LONGEST])}


def vram_in(text: str) -> int | None:
    """Return the GiB of memory that the text explicitly calls graphics memory: 6 for "RTX 3060 (6GB VRAM)"."""
    found = _VRAM.search(text[:_LONGEST].lower())
    return int(found[1]) if found else None


@lru_cache(maxsize=512)  # one text is read in search of each kind of name
def readings(text: str) -> tuple[str, ...]:
    """Return possible readings of the product's name in the text, most literal first, without duplicates."""
    text = " ".join(_TAG.sub(" ", text[:_LONGEST]).strip().strip("\"'`").split())
    found = dict.fromkeys(bare for reading in _readings(text) if (bare := reading.strip(" ,;:")))
    return (*found, f"{text}GB") if _SIZE_LEFT.search(text) else tuple(found)


def series_of_die(text: str) -> str | None:
    """Return the die in an lspci line that only has a series in its brackets: "Cezanne [Radeon Vega Series]"."""
    before, bracket, inside = _without_bus(text.strip()).rpartition("[")
    return before.strip() or None if bracket and "series" in inside.lower() else None


def value_in(text: str) -> str | None:
    """Return the value of a configuration key: "a100:4" for "--gres=gpu:a100:4".

    None if the text is not of that form.
    """
    value, found = text.strip(" -*•|>│"), None
    if properties := _INXI.search(value):
        value = found = value[: properties.start()]
    if column := _COLUMN.match(value):
        value = found = column[1]
    if option := _OPTION.search(value):
        value = found = option[1]
    if label := _KUBERNETES.search(value):
        part = _SLICE_KEY.match(label[1])
        said = label[2].replace("_", "-").strip("- ")
        return f"{said} MIG {part[1]}" if part and part[1].lower() not in said.lower() else said
    for _ in range(_MOST_KEYS):
        label = _LABEL.match(value)
        if label is None or any(word in value[: label.start(1)].lower() for word in _OF_BUS):
            break
        cut = value[label.end(1) : label.end(1) + 1] == "]" and label[1].count("[") > label[1].count("]")
        value = found = label[1].partition("  #")[0].strip(" '\"") + ("]" if cut else "")
    return found


def laptop_spelt(text: str) -> str:
    """Return the text with "laptop" in place of its abbreviation by a letter: "GTX 1060M"."""
    return _PORTABLE.sub(r"\1 laptop", text)


def without_sum(text: str) -> str:
    """Return the text without the total memory of all devices: "192 GB total VRAM"."""
    return _SUM.sub(" ", text)


def _readings(text: str) -> Iterator[str]:
    yield text
    if shell := _SHELL.search(text):
        yield f"Alveo {shell[1]}"
    if field := _FIELD.search(text):
        text = field[1] or field[2]
    text = _without_properties(text)
    text = _without_bus(text)
    yield text
    told = _MEMORY.search(text)
    text = _drawn(text)
    yield text
    memory = f" {round(int(told[1]) / 1024)}GB" if told else ""
    if told:
        without = text.replace(told[0], "")
        yield f"{without}{memory}"
        text = without
    for said in (_TARGET, _VERSION, _PLACE, _RUNTIME):
        text = said.sub("", text)
    text = " ".join(text.split())
    for mark in _REGISTERED:
        text = text.replace(mark, "").replace(mark.upper(), "")
    text = _without_power(text)
    yield text
    bare = " ".join(_GROUP.sub(" ", text).split())
    yield bare
    for sign in (" w/ ", " with ", ": ", "：", " = ", ", "):
        before, found, after = bare.rpartition(sign)
        if found and before:
            yield from (f"{after}{memory}", _API.sub("", after))
    yield from (group[0].strip("()").partition(", LLVM")[0] for group in islice(_GROUP.finditer(text), 3))
    yield _API.sub("", bare.replace("'s", ""))
    yield _PORTABLE.sub(r"\1 laptop", bare.lower().replace("notebook", "laptop"))
    yield _UNITS.sub(r"\1-core GPU", bare)
    yield _EXECUTION_UNITS.sub(r"\1 eu", bare.lower())
    yield _SPEED.sub("", bare)
    yield _LETTER.sub(r"\1\2", bare)
    yield _BARE_GIB.sub(r"\1 \2GB", bare)


def _without_properties(text: str) -> str:
    """Return the text before the properties that a program prints after a device: "… | uma: 0 | fp16: 1"."""
    name, bar, behind = text.partition(" | ")
    return name if bar and all(": " in each for each in behind.split(" | ")) else text


def _without_bus(text: str) -> str:
    """Return the name in an lspci line, without address, class and IDs."""
    address = _ADDRESS.match(text)
    text = text[address.end() :] if address else text
    text = _IN_BRACKETS.sub("", text)
    before, found, after = text.partition(": ")
    if found and any(word in before.lower() for word in _CLASSES):
        text = after
    return text.split(" (rev ")[0]


def _drawn(text: str) -> str:
    """Return the name in a graphics library's renderer string."""
    if layer := _LAYER.search(text):
        text = text[layer.end() :].removesuffix(")")
        if layer[1] and "," in text:
            first, second = text.split(",")[:2]  # the vendor before it, which older ones omit
            text = (first if second.strip().startswith(_INTERFACES) else second).rpartition(": ")[2].strip()
    for end in _ENDS:
        text = text.split(end)[0]
    return text.split(" (0x")[0]


def _without_power(text: str) -> str:
    """Return a laptop GPU's name without its power, which sellers add."""
    words = _WATTS.sub(" ", text)
    for filler in ("TGP", "TDP", "满血版", "满血", "满功耗"):
        words = words.replace(filler, " ").replace(filler.lower(), " ")
    return " ".join(words.replace("( )", " ").replace("()", " ").split())
