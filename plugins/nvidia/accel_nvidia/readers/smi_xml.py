"""The XML printed by `nvidia-smi -q -x`.

    <nvidia_smi_log>
      <driver_version>535.54.03</driver_version>
      <gpu id="00000000:01:00.0"> … <fb_memory_usage> <total>81920 MiB</total> … </gpu>
    </nvidia_smi_log>

Seen    nvsmi_device_v9 (driver 390, no CUDA version) to v13 (595); MIG devices; vGPU hosts; Windows.
A truncated document yields its complete GPUs; separate sections, cut out by hand, are read as parts of one.
The DOCTYPE is never read: each <gpu> is parsed separately, so entities declared in a text are never expanded.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from accel.model.device import Device, Process
from accel.model.report import Driver
from accel.text import amounts as a
from accel.text.lines import line_at
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_nvidia import quantities as q
from accel_nvidia.found import gpu, mig, reading
from accel_nvidia.query_facts import facts

if TYPE_CHECKING:
    from xml.etree import ElementTree

SOURCE: Final = "nvidia-smi -q -x"
TRUST: Final = 70
_LOG: Final = pattern(r"<nvidia_smi_log>.*?(?:</nvidia_smi_log>|(?=<nvidia_smi_log>)|\Z)", re.DOTALL)
_LOOSE: Final = pattern(r"&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);)")
_SECTIONS: Final = pattern(
    r"<(?P<tag>remapped_rows|retired_pages|ecc_errors|clocks_(?:event|throttle)_reasons|fabric|temperature"
    r"|(?:gpu_)?power_readings|fb_memory_usage|gpu_link_info)>(?:(?!</(?P=tag)>)[\s\S]){0,6000}</(?P=tag)>"
)
_PART_TRUST: Final = 51
_BULKY: Final = frozenset({"supported_clocks", "processes", "mig_devices", "accounted_processes"})


def read(text: str) -> Iterator[Reading]:
    """Yield one reading per log; logs without a complete <gpu> still give the driver."""
    if "<nvidia_smi_log>" not in text and "<gpu " not in text:
        yield from _parts(text)
        return
    from xml.etree import ElementTree

    for log in _LOG.finditer(text):
        body = log[0]
        version = _text(body, "kmd_version") or _text(body, "driver_version")
        cuda = _text(body, "cuda_umd_version") or _text(body, "cuda_version")
        driver = Driver(version=version, toolkit_version=cuda) if version else None
        devices: list[Device] = []
        index = 0
        for block in _blocks(body):
            try:
                # Entities cannot be declared inside an element, so only XML's five are expanded.
                element = ElementTree.fromstring(_LOOSE.sub("&amp;", block))
            except ElementTree.ParseError:
                index += 1
                continue
            devices += _devices(index, element, version)
            index += 1
        if devices or driver:
            lines = (line_at(text, log.start()), line_at(text, log.end()))
            yield reading(SOURCE, TRUST, devices=devices, driver=driver, lines=lines)


def _parts(text: str) -> Iterator[Reading]:
    """Yield one reading of sections without a document: a repeated section belongs to the next GPU."""
    from xml.etree import ElementTree

    gpus: list[dict[str, str]] = []
    lines: list[int] = []
    for found in _SECTIONS.finditer(text):
        if not gpus or found["tag"] in gpus[-1]:
            gpus.append({})
        gpus[-1][found["tag"]] = found[0]
        lines += [line_at(text, found.start()), line_at(text, found.end())]
    devices: list[Device] = []
    for index, sections in enumerate(gpus):
        try:
            element = ElementTree.fromstring(f"<gpu>{_LOOSE.sub('&amp;', ''.join(sections.values()))}</gpu>")
        except ElementTree.ParseError:
            continue
        if known := facts(_flat(element), "xml"):
            devices.append(gpu(index, **known))
    if devices:
        yield reading(SOURCE, _PART_TRUST, devices=devices, lines=(min(lines), max(lines)))


def _blocks(body: str) -> Iterator[str]:
    """Yield each complete <gpu> element; text after the last end tag is dropped."""
    start = body.find("<gpu ")
    while start >= 0:
        end = body.find("</gpu>", start)
        if end < 0:
            return
        yield body[start : end + len("</gpu>")]
        start = body.find("<gpu ", end)


def _text(body: str, tag: str) -> str | None:
    found = re.search(rf"<{tag}>\s*([^<]*?)\s*</{tag}>", body)
    return q.version(found[1]) if found else None


def _flat(element: "ElementTree.Element", path: str = "") -> dict[str, str]:
    """Return the element's texts by path; of repeated tags the first. Long lists are skipped."""
    found: dict[str, str] = {}
    for child in element:
        if child.tag in _BULKY:
            continue
        name = f"{path}{child.tag}"
        if len(child):
            found = _flat(child, f"{name}/") | found
        elif child.text is not None:
            found.setdefault(name, child.text.strip())
    return found


def _devices(index: int, element: "ElementTree.Element", version: str | None) -> Iterator[Device]:
    lookup = _flat(element)
    known = facts(lookup, "xml")
    known.setdefault("pci_address", a.pci_address(element.get("id")))
    known["driver_version"] = version
    rows = _processes(element)
    yield gpu(index, **known, processes=None if rows is None else tuple(process for _, process in rows))
    for part in element.iterfind("mig_devices/mig_device"):
        yield from _partition(index, part, rows, version)


def _partition(
    parent: int,
    part: "ElementTree.Element",
    rows: list[tuple[tuple[int | None, int | None], Process]] | None,
    version: str | None,
) -> Iterator[Device]:
    lookup = _flat(part)
    number = a.whole(lookup.get("index"))
    if number is None:
        return
    instance = (a.whole(lookup.get("gpu_instance_id")), a.whole(lookup.get("compute_instance_id")))
    sizes: dict[str, Any] = {k: v for k, v in facts(lookup, "xml").items() if k.startswith(("memory_", "bar1_"))}
    held = None if rows is None else tuple(process for ids, process in rows if ids == instance)
    yield mig(
        parent,
        number,
        **sizes,
        driver_version=version,
        uuid=a.word(lookup.get("uuid")),
        gpu_instance_id=instance[0],
        compute_instance_id=instance[1],
        ecc_uncorrected_volatile=a.whole(lookup.get("ecc_error_count/volatile_count/sram_uncorrectable")),
        processes=held,
    )


def _processes(element: "ElementTree.Element") -> list[tuple[tuple[int | None, int | None], Process]] | None:
    """Return the processes with their instances; None if the tool could not list them."""
    section = element.find("processes")
    if section is None:
        return None
    words = (section.text or "").strip()
    if words and not len(section) and a.word(words) is None:
        return None
    rows = []
    for info in section.iterfind("process_info"):
        lookup = _flat(info)
        pid = a.whole(lookup.get("pid"))
        if pid is not None:
            instance = (a.whole(lookup.get("gpu_instance_id")), a.whole(lookup.get("compute_instance_id")))
            name, memory = a.word(lookup.get("process_name")), a.mebibytes(lookup.get("used_memory"))
            rows.append((instance, Process(pid=pid, name=name, memory_bytes=memory)))
    return rows


READER: Final = Reader(
    name=SOURCE,
    signs=("<nvidia_smi_log>", "<remapped_rows>", "<retired_pages>", "<ecc_errors>", "_reasons>", "_readings>"),
    read=read,
)
