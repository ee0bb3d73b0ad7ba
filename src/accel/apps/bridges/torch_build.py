"""The hardware that an imported torch was built for, from its attributes: queries no device, creates no context.

Source  torch/version.py (cuda, hip, xpu); torch.utils.rename_privateuse1_backend, with which an extension adds a type
        and a module of the same name (torch.npu)
"""

from types import ModuleType
from typing import Final

# Newer torch loads installed extensions itself; older torch, and TORCH_DEVICE_BACKEND_AUTOLOAD=0, do not.
EXTENSIONS: Final = {
    "npu": "torch_npu",
    "mlu": "torch_mlu",
    "musa": "torch_musa",
    "gcu": "torch_gcu",
    "hpu": "habana_frameworks.torch",
}


def has_type(torch: ModuleType, kind: str) -> bool:
    """Return whether this build can address devices of a type ("cuda"); imports the extension that adds the type."""
    if kind == "cpu":
        return True
    if kind == "cuda":
        return build_of(torch) is not None
    if kind == "mps":
        return bool(torch.backends.mps.is_built())
    if kind == "xpu":
        return getattr(torch.version, "xpu", None) is not None or bool(getattr(torch._C, "_has_xpu", False))
    if not hasattr(torch, kind) and kind in EXTENSIONS:
        _extend(EXTENSIONS[kind])
    return hasattr(torch, kind)


def build_of(torch: ModuleType) -> str | None:
    """Return the toolkit behind the type "cuda": "cuda" or "rocm"; None if the build has neither."""
    if getattr(torch.version, "hip", None) is not None:
        return "rocm"
    return "cuda" if getattr(torch.version, "cuda", None) is not None else None


def _extend(module: str) -> None:
    import importlib

    try:
        importlib.import_module(module)
    except Exception:  # an extension loads its vendor's libraries and may raise anything; the type is then missing
        pass
