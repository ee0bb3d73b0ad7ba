"""The type and the software version of a TPU VM, in any form that reports use.

    gcloud compute tpus tpu-vm create NAME --accelerator-type=v5litepod-8 --version=tpu-vm-base
    acceleratorType: v3-8 / runtimeVersion: tpu-ubuntu2204-base              gcloud compute tpus tpu-vm describe
    ACCELERATOR_TYPE: 'v4-16'  RUNTIME_VERSION: …                            the metadata server's tpu-env
    (v2-8, runtime tpu-vm-base)      on a TPU v4-32 pod      my v6e-8 VM     prose
    ct5lp-hightpu-8t, tpu7x-standard-4t                                      machine types of GKE
No type: "v4-8" in a text without a TPU; next to something that works, or an example.
Noted  tpu-type (type, labelled), tpu-runtime (version), tpu-host-chips (chips)
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.observation import Noted
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted_at, reading_of

_TYPE: Final = pattern(
    r"(?<![\w/.+-])(?P<type>(?:v[234]|v5p|v5e|v5lite(?:pod)?|v6e|v7x|tpu7x)-\d{1,4})"
    r"(?![\w+]|-(?!vm|tpu|pod|slice)\w|\.\d)",
    re.IGNORECASE,
)
_LABEL: Final = pattern(r"accelerator[ _-]?types?[\"' ]{0,3}[:= ]{1,3}[\"']?$", re.IGNORECASE)
_RUNTIME: Final = pattern(
    r"(?<![\w-])(?:--(?:runtime-)?version|(?:tpu[ _-]?)?(?:runtime|software)(?:[ _-]?version)?)"
    r"[\"' ]{0,3}[:= ]{1,3}[\"'`]?"
    r"(?P<version>(?:tpu-(?:vm|ubuntu)|v2-(?:alpha|nightly|tpu))[\w.-]{1,40})",
    re.IGNORECASE,
)
_MACHINE: Final = pattern(
    r"(?<![\w-])(?:ct\d[a-z]{1,2}|tpu7x)-(?:hightpu|standard|ultranet|megamem)-(?P<chips>\d{1,2})t\b"
)
_ELSEWHERE: Final = pattern(
    r"(?:works?|worked|working|fine|ok|okay|tested|such as|e\.g\.|like|example|instead of|unlike|not)"
    r"(?: (?:well|fine|on|with|for|in|a|an|the|our|my|of|tpu|cloud)){0,4} ?$",
    re.IGNORECASE,
)
_ABOUT_TPUS: Final = pattern(r"tpu|/dev/accel|/dev/vfio|\bjax\b|torch_xla|v5litepod", re.IGNORECASE)


def _read(text: str) -> Iterator[Reading]:
    if not _ABOUT_TPUS.search(text):
        return
    found: dict[tuple[str, str], Noted] = {}
    for match in _TYPE.finditer(text):
        before = text[max(0, match.start() - 60) : match.start()].rsplit("\n", 1)[-1]
        if _ELSEWHERE.search(before):
            continue
        labelled = "yes" if _LABEL.search(before) else "no"
        _note(found, noted_at("tpu-type", match, READER.name, type=match["type"].lower(), labelled=labelled))
    for match in _RUNTIME.finditer(text):
        _note(found, noted_at("tpu-runtime", match, READER.name, version=match["version"].rstrip(".-").lower()))
    for match in _MACHINE.finditer(text):
        _note(found, noted_at("tpu-host-chips", match, READER.name, chips=match["chips"]))
    yield from reading_of(READER.name, found.values())


def _note(found: dict[tuple[str, str], Noted], one: Noted) -> None:
    values = dict(one.values)
    key = one.fact, one.values[0][1]
    known = found.get(key)
    if known is None or (dict(known.values).get("labelled") == "no" and values.get("labelled") == "yes"):
        found[key] = one


READER: Final = Reader(
    name="TPU VM description",
    signs=("v2-", "v3-", "v4-", "v5", "v6e-", "7x-", "V2-", "V3-", "V4-", "V5", "V6E-", "tpu-vm", "tpu-ubuntu"),
    read=_read,
)
