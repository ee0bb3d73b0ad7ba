"""An image that needs a newer CUDA than the driver supports, by its condition or its name and tag. Pure.

NVIDIA_REQUIRE_CUDA=cuda>=12.8                 the condition, as reported by the container hook
ghcr.io/ggml-org/llama.cpp:server-cuda         CUDA 12.8, with portable code: the driver has to support 12.8 itself
nvcr.io/nvidia/pytorch:23.10-py3               the CUDA of that month
nvidia/cuda:13.0.1-runtime-ubuntu24.04         the CUDA of the tag
"""

from collections.abc import Iterator
from typing import Any, Final

from accel.specs.versions import numbers
from accel.text.pattern import pattern
from accel.vendors.contract.check import Evidence, Facts, Problem, Remedy, Specs, quoted
from accel.vendors.contract.command import command_line, image_word
from accel_nvidia import around

_ASKED: Final = pattern(r"cuda\s?>=?\s?(?P<cuda>\d{1,2}\.\d)")
_IMAGE: Final = pattern(
    r"(?<![\w./-])(?:[a-z0-9.-]{1,60}/)?(?P<name>[a-z0-9._-]{1,60}/[a-z0-9._-]{1,60}):(?P<tag>[\w.-]{1,80})"
)
_MONTH: Final = pattern(r"(?P<month>[12]\d\.(?:0[1-9]|1[0-2]))(?:-|$)", exact_case=True)
_MONTH_OF_TAG: Final = pattern(r":[12]\d\.(?:0[1-9]|1[0-2])(?=-|$)", exact_case=True)
_OF_TAG: Final = pattern(r"(?P<cuda>\d{1,2}\.\d{1,2})(?:\.\d{1,2})?-", exact_case=True)


def of_image(facts: Facts, specs: Specs) -> Problem | None:
    """Judge the container hook's message about the image's condition; None if it requires no CUDA."""
    from accel.resolver.said import said_driver
    from accel_nvidia.driver_install import newer_driver
    from accel_nvidia.ptx import native_driver

    told = [fact for fact in facts.stated("driver-too-old-said") if "condition" in fact.text.lower()]
    asked = next((found["cuda"] for fact in told if (found := _ASKED.search(fact.value("wanted") or ""))), None)
    if asked is None:
        return None
    driver = facts.driver("nvidia")
    version = (driver.version if driver is not None else None) or said_driver(facts, specs, "nvidia")
    serves = driver.toolkit_version if driver is not None else None
    system = "windows" if around.on_windows(facts) else "linux"
    serves = serves or (specs.toolkit_of_driver("cuda", version, system) if version else None)
    older_image = _older_image(facts, specs, serves)
    same_major = serves is not None and serves.partition(".")[0] == asked.partition(".")[0]
    unasked = Remedy(
        text=f"Start it without the condition: a driver for CUDA {serves} runs machine code of every "
        f"{asked.partition('.')[0]}.x; PTX, or newer functions of the driver, still fail.",
        command="docker run --gpus all -e NVIDIA_DISABLE_REQUIRE=1 IMAGE",
    )
    return Problem(
        title=f"The driver supports CUDA {serves}; the image requires CUDA {asked} or newer"
        if serves
        else f"The driver is too old for this image, which requires CUDA {asked} or newer",
        evidence=(*quoted(told), *((Evidence(fact="driver", value=version),) if version else ())),
        remedies=(
            *((unasked,) if same_major else ()),
            newer_driver(facts, specs, native_driver(facts, specs, asked)),
            older_image,
        ),
    )


def _older_image(facts: Facts, specs: Specs, serves: str | None) -> Remedy:
    """Return the image for an older CUDA: of NVIDIA's monthly images the last that the driver supports."""
    if serves is None:
        text = "Or use an image for an older CUDA that this driver supports: nvidia-smi shows it at the top right."
        return Remedy(text=text)
    text = f"Or use an image for CUDA {serves} or older: this driver supports it."
    months = (specs.table("nvidia/image_builds") or {})["monthly"]["months"]
    newer = next((row["first"] for row in months if numbers(row["cuda"]) > numbers(serves)), None)
    image = next((image for image, row in _images(facts, specs) if "first" in row), None)
    if newer is None or image is None or newer == months[0]["first"]:
        return Remedy(text=text)
    year, month = (int(part) for part in newer.split("."))
    last = f"{year}.{month - 1:02}" if month > 1 else f"{year - 1}.12"
    tagged = image_word(_MONTH_OF_TAG.sub(f":{last}", image))
    return Remedy(text=text, command=command_line("docker run --gpus all", tagged))


def of_image_tag(facts: Facts, specs: Specs) -> Problem | None:
    """Judge the image in a text in which a program uses no GPU; None if the driver supports its CUDA."""
    told = facts.stated("program-without-gpu")
    driver = around.driver_version(facts)
    if not told or driver is None:
        return None
    system = "windows" if around.on_windows(facts) else "linux"
    serves = specs.toolkit_of_driver("cuda", driver, system)
    for image, row in _images(facts, specs) if serves else ():
        cuda = row["cuda"]
        newer = numbers(cuda)[:1] > numbers(serves)[:1] or (row.get("ptx") and numbers(cuda)[:2] > numbers(serves)[:2])
        if newer:
            older = row.get("older") or f"Or use an image for CUDA {serves} or older, which this driver supports."
            from accel_nvidia.driver_install import newer_driver
            from accel_nvidia.ptx import native_driver

            return Problem(
                title=f"The driver is too old for the image: it supports CUDA {serves}, but the image has CUDA {cuda}",
                evidence=(
                    *quoted(told[:2]),
                    Evidence(fact="image", value=f"{image}, CUDA {cuda}"),
                    Evidence(fact="driver", value=f"{driver}, supports CUDA {serves}"),
                ),
                remedies=(
                    newer_driver(facts, specs, native_driver(facts, specs, cuda)),
                    Remedy(text=older, action="env"),
                ),
            )
    return None


def _images(facts: Facts, specs: Specs) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the images in the text with their CUDA, from the table or the tag."""
    table = specs.table("nvidia/image_builds") or {}
    for one in facts.snapshot.observations:
        for found in _IMAGE.finditer(one.text) if ":" in one.text else ():
            name, tag = found["name"].lower(), found["tag"].lower()
            for row in table["images"]:
                if name == row["image"] and tag.startswith(tuple(row["tags"])):
                    yield found[0], row
                    break
            if name == "nvidia/cuda" and (hit := _OF_TAG.match(tag)):
                yield found[0], {"cuda": hit["cuda"]}
            monthly = table["monthly"]
            if (
                name.startswith("nvidia/")
                and name.partition("/")[2] in monthly["images"]
                and (hit := _MONTH.match(tag))
            ):
                months = [row for row in monthly["months"] if row["first"] <= hit["month"]]
                if months:
                    yield found[0], max(months, key=lambda row: row["first"])
