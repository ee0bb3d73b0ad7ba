"""An image whose condition (NVIDIA_REQUIRE_CUDA) asks for a newer CUDA than the driver serves. Pure."""

from typing import TYPE_CHECKING, Final

from accel.text.pattern import pattern
from accel.vendors.contract.check import Evidence, Problem, Remedy, quoted
from accel_nvidia import around
from accel_nvidia.driver_install import newer_driver
from accel_nvidia.ptx import native_driver

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_ASKED: Final = pattern(r"cuda\s?>=?\s?(?P<cuda>\d{1,2}\.\d)")


def of_image(facts: "Facts", specs: "Specs") -> Problem | None:
    """Judge what the container hook says of the image's condition; None where it asks for no CUDA."""
    told = [fact for fact in facts.stated("driver-too-old-said") if "condition" in fact.text.lower()]
    asked = next((found["cuda"] for fact in told if (found := _ASKED.search(fact.value("wanted") or ""))), None)
    if asked is None:
        return None
    driver = facts.driver("nvidia")
    version = driver.version if driver is not None else None
    serves = driver.toolkit_version if driver is not None else None
    system = "windows" if around.on_windows(facts) else "linux"
    serves = serves or (specs.toolkit_of_driver("cuda", version, system) if version else None)
    older_image = Remedy(
        text=f"Or take an image of CUDA {serves} or older: this driver serves it."
        if serves
        else "Or take an image of an older CUDA, which this driver serves: nvidia-smi names it at the top right.",
    )
    same_major = serves is not None and serves.partition(".")[0] == asked.partition(".")[0]
    unasked = Remedy(
        text=f"Or start it without the condition: a driver of CUDA {serves} runs machine code of every "
        f"{asked.partition('.')[0]}.x; what brings PTX, or asks for a newer function of the driver, still fails.",
        command="docker run --gpus all -e NVIDIA_DISABLE_REQUIRE=1 IMAGE",
    )
    return Problem(
        title=f"The driver serves CUDA {serves}; the image asks for CUDA {asked} or newer"
        if serves
        else f"The driver is too old for this image, which asks for CUDA {asked} or newer",
        evidence=(*quoted(told), *((Evidence(fact="driver", value=version),) if version else ())),
        remedies=(
            newer_driver(facts, specs, native_driver(facts, specs, asked)),
            older_image,
            *((unasked,) if same_major else ()),
        ),
    )
