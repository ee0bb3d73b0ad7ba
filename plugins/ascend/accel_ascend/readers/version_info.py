"""The version files of the driver, the firmware and CANN: "key=value" lines, without blanks.

    /usr/local/Ascend/driver/version.info       Version=25.0.rc1.1
                                                ascendhal_version=7.35.19
                                                compatible_version_fw=[7.0.0,7.7.99]
    /usr/local/Ascend/firmware/version.info     Version=7.5.0.1.129
                                                firmware_version=1.0          (the file's format, not the firmware)
                                                compatible_version_drv=[24.1,24.1.]
    <CANN>/<arch>-linux/ascend_toolkit_install.info   package_name=Ascend-cann-toolkit
                                                      version=8.1.RC1
                                                      path=/usr/local/Ascend/ascend-toolkit/8.1.RC1/aarch64-linux
    <CANN>/version.cfg                          toolkit_running_version=[7.7.0.1.238:8.1.RC1]
    <nnal>/atb/latest/version.info              Ascend-cann-atb Version : 8.1.RC1.B150
    $ cat /usr/local/Ascend/driver/version.info       a single key, if the line before names the file

Seen   driver 23.0 to 25.5, CANN 7.0 to 8.5. Case of "RC" varies.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import dataclass, field
from accel.model.environment import Environment, Toolkit
from accel.model.report import Driver, Report
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted
from accel_ascend.chips import BACKEND

SOURCE: Final = "version.info"
TRUST: Final = 35
_PAIR: Final = pattern(r"^\s*([A-Za-z_]{3,60})=(.*)$")
_VERSION: Final = pattern(r"\d{1,4}\.\d[\w.\-]*")
_CFG: Final = pattern(r"\[[^\[\]:]*:([^\[\]:]+)\]")
_NAMED: Final = pattern(
    r"/(?:(?P<driver>driver/version\.info)|(?P<firmware>firmware/version\.info)|(?P<cann>ascend_toolkit_install\.info))\b"
)
_NNAL: Final = pattern(r"^[ \t]*Ascend-cann-atb(?: Version)?[ \t]*:[ \t]*(\d{1,4}\.\d[\w.]*)[ \t]*$", re.MULTILINE)


@dataclass(slots=True, kw_only=True)
class _Block:
    first_line: int
    kind: str | None  # from the path in the previous line: "driver", "firmware" or "cann"
    values: dict[str, str] = field(default_factory=dict)


def read(text: str) -> Iterator[Reading]:
    """Yield one reading per file whose keys identify its kind."""
    for block in _blocks(text):
        values = block.values
        version = values.get("Version", "")
        if not _VERSION.fullmatch(version):
            version = ""
        if version and ("ascendhal_version" in values or "compatible_version_fw" in values or block.kind == "driver"):
            yield _driver(Driver(version=version), "driver/version.info", block)
        elif version and (
            "firmware_version" in values or "compatible_version_drv" in values or block.kind == "firmware"
        ):
            yield _driver(Driver(firmware_version=version), "firmware/version.info", block)
        else:
            toolkit = _toolkit(values, of_cann=block.kind == "cann")
            if toolkit is not None:
                environment = Environment(toolkits=(toolkit,))
                yield Reading(source=SOURCE, environment=environment, first_line=block.first_line)
    nnal = _NNAL.search(text)
    if nnal:
        yield Reading(source=SOURCE, environment=Environment(toolkits=(Toolkit(name="nnal", version=nnal[1]),)))


def _blocks(text: str) -> Iterator[_Block]:
    block: _Block | None = None
    kind: str | None = None
    for number, line in enumerate(text.splitlines(), 1):
        found = _PAIR.match(line)
        if found is None:
            named = _NAMED.search(line)
            kind = named.lastgroup if named else None
        if found is None or (block is not None and found[1] in block.values):
            if block is not None:
                yield block
            block = None
        if found is not None:
            block = block or _Block(first_line=number, kind=kind)
            block.values[found[1]] = found[2].strip()
    if block is not None:
        yield block


def _driver(driver: Driver, source: str, block: _Block) -> Reading:
    named = {"compatible_version_fw": "firmware", "compatible_version_drv": "driver", "compatible_version": "trains"}
    version = block.values["Version"]
    told = {"file": source, "version": version} | {named[k]: v for k, v in block.values.items() if k in named}
    one = noted("ascend-version-file", f"Version={version}", source, block.first_line, **told)
    report = Report(backend=BACKEND, source=source, trust=TRUST, driver=driver, observations=(one,))
    return Reading(source=source, reports=(report,), first_line=block.first_line)


def _toolkit(values: dict[str, str], *, of_cann: bool) -> Toolkit | None:
    if of_cann and "package_name" not in values and _VERSION.fullmatch(values.get("version", "")):
        return Toolkit(name="cann", version=values["version"], path=values.get("path") or None)
    if values.get("package_name", "").startswith("Ascend-cann-"):
        name = {"Ascend-cann-toolkit": "cann", "Ascend-cann-nnal": "nnal"}.get(values["package_name"])
        version = values.get("version", "")
        if name and _VERSION.fullmatch(version):
            return Toolkit(name=name, version=version, path=values.get("path") or None)
    for key in ("toolkit_running_version", "runtime_running_version"):
        found = _CFG.search(values.get(key, ""))
        if found and _VERSION.fullmatch(found[1]):
            return Toolkit(name="cann", version=found[1])
    if "required_driver_ascendhal_version" in values and _VERSION.fullmatch(values.get("version_dir", "")):
        return Toolkit(name="cann", version=values["version_dir"])
    return None


READER: Final = Reader(
    name="Ascend version files",
    signs=(
        *("ascendhal_version", "firmware_version=", "package_name=Ascend-cann", "_running_version=", "cann-atb"),
        *("driver/version.info", "firmware/version.info", "ascend_toolkit_install.info"),
    ),
    read=read,
)
