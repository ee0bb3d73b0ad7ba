"""vllm-ascend's vLLM, torch_npu and CANN, from specs/ascend/versions.yaml; and the order of torch_npu versions."""

from collections.abc import Mapping
from typing import Any, Final

from accel.specs import Specs
from accel.text.pattern import pattern

_BASE: Final = pattern(r"v?(\d+)\.(\d+)(?:\.(\d+))?", exact_case=True)
_NPU: Final = pattern(r"v?(\d+(?:\.\d+){1,3})(?:\.?(rc)(\d+))?(?:\.post(\d+))?(?:\.?(dev)(\d+))?", exact_case=True)


def vllm_row(specs: Specs, vllm_ascend: str) -> Mapping[str, Any] | None:
    """Return the row of a released vllm-ascend; None for a development build, or one that the table lacks."""
    wanted = vllm_ascend.removeprefix("v")
    rows = (specs.table("ascend/versions") or {}).get("vllm_ascend", {}).get("rows", ())
    return next((row for row in rows if str(row["vllm_ascend"]).removeprefix("v") == wanted), None)


def base(version: str) -> tuple[int, int, int] | None:
    """Return the release of a version, without rc, post, dev and label; None if it is not a version.

    >>> base("0.11.1+empty"), base("v0.8.5rc2.dev38"), base("main")
    ((0, 11, 1), (0, 8, 5), None)
    """
    found = _BASE.match(version)
    return (int(found[1]), int(found[2]), int(found[3] or 0)) if found else None


def is_development(version: str) -> bool:
    """Return whether a version is counted from the nearest tag, not a release: "0.11.1.dev6+gb30408353"."""
    return ".dev" in version or "dev0" in version


def torch_npu_order(version: str) -> tuple[tuple[int, ...], int, int, int]:
    """Return a sort key for torch_npu versions: release, post, then rc before dev before the release itself.

    The vendor's dev builds of a release came after its rc1, unlike in PEP 440.

    >>> torch_npu_order("2.5.1rc1") < torch_npu_order("2.5.1.dev20250308") < torch_npu_order("2.5.1")
    True
    >>> torch_npu_order("2.5.1") < torch_npu_order("2.5.1.post1.dev20250619") < torch_npu_order("2.5.1.post1")
    True
    """
    found = _NPU.match(version)
    if found is None:
        return (), 0, 0, 0
    numbers = tuple(int(part) for part in found[1].split("."))
    post = int(found[4] or 0)
    if found[5]:
        return numbers, post, 1, int(found[6])
    return (numbers, post, 0, int(found[3])) if found[2] else (numbers, post, 2, 0)


def below_floor(torch_npu: str, floor: str) -> bool:
    """Return whether a torch_npu is older than a row requires.

    The `.postN` of a minimum that is no dev build may be absent.
    """
    wanted = torch_npu_order(floor)
    if wanted[2] == 2:
        wanted = (wanted[0], 0, 2, 0)
    return torch_npu_order(torch_npu) < wanted
