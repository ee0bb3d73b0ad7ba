"""NVML's errors under pynvml's names, with NVML's codes and messages.

Source  nvml.h: nvmlReturn_t, and the texts of nvmlErrorString
"""

from typing import ClassVar, Final

from accel.model.errors import AccelError

NVML_SUCCESS: Final = 0
NVML_ERROR_UNINITIALIZED: Final = 1
NVML_ERROR_INVALID_ARGUMENT: Final = 2
NVML_ERROR_NOT_SUPPORTED: Final = 3
NVML_ERROR_NO_PERMISSION: Final = 4
NVML_ERROR_ALREADY_INITIALIZED: Final = 5
NVML_ERROR_NOT_FOUND: Final = 6
NVML_ERROR_INSUFFICIENT_SIZE: Final = 7
NVML_ERROR_INSUFFICIENT_POWER: Final = 8
NVML_ERROR_DRIVER_NOT_LOADED: Final = 9
NVML_ERROR_TIMEOUT: Final = 10
NVML_ERROR_IRQ_ISSUE: Final = 11
NVML_ERROR_LIBRARY_NOT_FOUND: Final = 12
NVML_ERROR_FUNCTION_NOT_FOUND: Final = 13
NVML_ERROR_CORRUPTED_INFOROM: Final = 14
NVML_ERROR_GPU_IS_LOST: Final = 15
NVML_ERROR_RESET_REQUIRED: Final = 16
NVML_ERROR_OPERATING_SYSTEM: Final = 17
NVML_ERROR_LIB_RM_VERSION_MISMATCH: Final = 18
NVML_ERROR_MEMORY: Final = 20
NVML_ERROR_UNKNOWN: Final = 999


def nvmlErrorString(result: int) -> str:  # noqa: N802
    """Return NVML's message for a code."""
    if result == NVML_SUCCESS:
        return "Success"
    return next((k.words for k in NVMLError.__subclasses__() if k.code == result), f"NVML Error with code {result}")


class NVMLError(AccelError):
    """NVML's error for a code. NVMLError(3) is an NVMLError_NotSupported, as in pynvml; value is the code.

    accel raises six of the codes: UNINITIALIZED, INVALID_ARGUMENT, NOT_SUPPORTED (the fact is unknown for any reason;
    accel.snapshot() has the reason), NOT_FOUND, LIBRARY_NOT_FOUND (there is no accelerator), FUNCTION_NOT_FOUND.
    """

    code: ClassVar[int] = NVML_ERROR_UNKNOWN
    words: ClassVar[str] = "Unknown Error"

    def __new__(cls, value: int | None = None) -> "NVMLError":
        kind = next((k for k in cls.__subclasses__() if k.code == value), cls) if cls is NVMLError else cls
        return super().__new__(kind)

    def __init__(self, value: int | None = None) -> None:
        self.value: int = self.code if value is None else value
        super().__init__(self.value)

    def __str__(self) -> str:
        return nvmlErrorString(self.value)


def _kind(name: str, code: int, words: str) -> type[NVMLError]:
    return type(f"NVMLError_{name}", (NVMLError,), {"code": code, "words": words, "__module__": __name__})


NVMLError_Uninitialized = _kind("Uninitialized", NVML_ERROR_UNINITIALIZED, "Uninitialized")
NVMLError_InvalidArgument = _kind("InvalidArgument", NVML_ERROR_INVALID_ARGUMENT, "Invalid Argument")
NVMLError_NotSupported = _kind("NotSupported", NVML_ERROR_NOT_SUPPORTED, "Not Supported")
NVMLError_NoPermission = _kind("NoPermission", NVML_ERROR_NO_PERMISSION, "Insufficient Permissions")
NVMLError_AlreadyInitialized = _kind("AlreadyInitialized", NVML_ERROR_ALREADY_INITIALIZED, "Already Initialized")
NVMLError_NotFound = _kind("NotFound", NVML_ERROR_NOT_FOUND, "Not Found")
NVMLError_InsufficientSize = _kind("InsufficientSize", NVML_ERROR_INSUFFICIENT_SIZE, "Insufficient Size")
NVMLError_InsufficientPower = _kind("InsufficientPower", NVML_ERROR_INSUFFICIENT_POWER, "Insufficient External Power")
NVMLError_DriverNotLoaded = _kind("DriverNotLoaded", NVML_ERROR_DRIVER_NOT_LOADED, "Driver Not Loaded")
NVMLError_Timeout = _kind("Timeout", NVML_ERROR_TIMEOUT, "Timeout")
NVMLError_IrqIssue = _kind("IrqIssue", NVML_ERROR_IRQ_ISSUE, "Interrupt Request Issue")
NVMLError_LibraryNotFound = _kind("LibraryNotFound", NVML_ERROR_LIBRARY_NOT_FOUND, "NVML Shared Library Not Found")
NVMLError_FunctionNotFound = _kind("FunctionNotFound", NVML_ERROR_FUNCTION_NOT_FOUND, "Function Not Found")
NVMLError_CorruptedInforom = _kind("CorruptedInforom", NVML_ERROR_CORRUPTED_INFOROM, "Corrupted infoROM")
NVMLError_GpuIsLost = _kind("GpuIsLost", NVML_ERROR_GPU_IS_LOST, "GPU is lost")
NVMLError_ResetRequired = _kind("ResetRequired", NVML_ERROR_RESET_REQUIRED, "GPU requires restart")
NVMLError_OperatingSystem = _kind(
    "OperatingSystem", NVML_ERROR_OPERATING_SYSTEM, "The operating system has blocked the request."
)
NVMLError_LibRmVersionMismatch = _kind(
    "LibRmVersionMismatch", NVML_ERROR_LIB_RM_VERSION_MISMATCH, "RM has detected an NVML/RM version mismatch."
)
NVMLError_Memory = _kind("Memory", NVML_ERROR_MEMORY, "Insufficient Memory")
NVMLError_Unknown = _kind("Unknown", NVML_ERROR_UNKNOWN, "Unknown Error")
