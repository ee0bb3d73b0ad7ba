"""The meanings of NVML's return codes.

Source  nvml.h, nvmlReturn_t. The texts are kept here because nvmlErrorString is another call into the library,
        and pynvml's own table says "restart" where NVML says "reset".
"""

from typing import Final

UNINITIALIZED: Final = 1
NOT_SUPPORTED: Final = 3
NO_PERMISSION: Final = 4
NOT_FOUND: Final = 6
INSUFFICIENT_SIZE: Final = 7
INSUFFICIENT_POWER: Final = 8
DRIVER_NOT_LOADED: Final = 9
TIMEOUT: Final = 10
LIBRARY_NOT_FOUND: Final = 12
FUNCTION_NOT_FOUND: Final = 13
GPU_IS_LOST: Final = 15
RESET_REQUIRED: Final = 16
VERSION_MISMATCH: Final = 25
UNKNOWN: Final = 999

ABSENT_FUNCTION: Final = frozenset({FUNCTION_NOT_FOUND, VERSION_MISMATCH, 26})  # an older or a newer form may answer
OF_THE_QUESTION: Final = frozenset({2, 3, 5, 6, 7, 13, 25, 26})  # these concern the call, not the device
UNUSABLE: Final = frozenset({8, TIMEOUT, 11, 14, GPU_IS_LOST, RESET_REQUIRED, UNKNOWN})  # such a device is unusable

_TEXTS: Final = {
    1: "Uninitialized",
    2: "Invalid Argument",
    3: "Not Supported",
    4: "Insufficient Permissions",
    5: "Already Initialized",
    6: "Not Found",
    7: "Insufficient Size",
    8: "Insufficient External Power",
    9: "Driver Not Loaded",
    10: "Timeout",
    11: "Interrupt Request Issue",
    12: "NVML Shared Library Not Found",
    13: "Function Not Found",
    14: "Corrupted infoROM",
    15: "GPU is lost",
    16: "GPU requires reset",
    17: "The operating system has blocked the request",
    18: "Driver/library version mismatch",
    19: "In use by another client",
    20: "Insufficient Memory",
    21: "No data",
    22: "The requested vgpu operation is not available because ECC is enabled",
    23: "Insufficient Resources",
    24: "Frequency not supported",
    25: "Argument version mismatch",
    26: "Deprecated",
    27: "Not Ready",
    28: "GPU Not Found",
    29: "Invalid State",
    30: "Reset type not supported",
    999: "Unknown Error",
}


def error_text(code: int) -> str:
    """Return NVML's text for a code, as printed by nvidia-smi.

    >>> error_text(15), error_text(4711)
    ('GPU is lost', 'NVML code 4711')
    """
    return _TEXTS.get(code, f"NVML code {code}")


def code_of(text: str) -> int | None:
    """Return the code whose text a string starts with, ignoring case.

    >>> code_of("GPU is lost.  Reboot the system to recover this GPU"), code_of("fine")
    (15, None)
    """
    return next((code for code, words in _TEXTS.items() if text.lower().startswith(words.lower())), None)


def error_code(error: Exception) -> int | None:
    """Return the NVML code of a pynvml exception; None if it is of another kind.

    An AttributeError means that this pynvml lacks the function; NVMLLibraryMismatchError, which is not an NVMLError, is
    pynvml's error for a symbol that the driver lacks.
    """
    if isinstance(error, AttributeError) or type(error).__name__ == "NVMLLibraryMismatchError":
        return FUNCTION_NOT_FOUND
    value = getattr(error, "value", None)
    return value if isinstance(value, int) else None
