from typing import Final

from accel.facts.containers import CONTAINER, KUBERNETES, container_options, in_container, is_kubernetes
from accel.model.dataclass import replace
from accel.specs.support import support_of
from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import Word, assignment_word, command_line, image_word, requirement_word

_IDLE: Final = 0.05  # share of a card's memory: the driver itself takes less
_MASK: Final = "HABANA_VISIBLE_DEVICES"
_HOLDER: Final = Remedy(
    text="Stop the program that uses the cards, or use free ones: this shows which process uses them (as root, for all "
    "users).",
    command="sudo hl-smi",
    action="app",
)
_POD: Final = Remedy(
    text="Request the cards in the pod, so that Gaudi's device plugin assigns them, and use an image from the "
    "release of the nodes' driver. In the pod's container: resources: {limits: {habana.ai/gaudi: 1, "
    "hugepages-2Mi: 9500Mi}}.",
    action="env",
)


@check(
    code="GA004",
    name="gaudi-not-acquired",
    reads=(
        "gaudi-acquire-failed",
        "gaudi-card-taken",
        "gaudi-image",
        "gaudi-driver-release",
        "gaudi-server-refused",
        *CONTAINER,
        KUBERNETES,
    ),
    needs=("run.program",),
    layer="access",
    requires=("gaudi-driver-not-loaded",),
)
def gaudi_not_acquired(facts: Facts, specs: Specs) -> Problems:
    """Intel's runtime found no card that this process may use.

    Why it matters   A card serves one process at a time. It is refused if another process holds it, if it is hidden, or
                     if software and driver have different releases; the message does not say which.
    What to do       Check who holds the cards, and whether the versions match; end leftover processes.
    Looks at         the runtime's "synStatus=… Device acquire failed" and its number; the driver's release against that
                     of the container's image
    Silent when      there is no such message
    Source           HabanaAI and vllm-fork issues with synStatus=8 and synStatus=26
    """
    events = facts.stated("gaudi-acquire-failed")
    if not events:
        return
    if dropped := _of_generation(facts, specs):
        yield dropped
        return
    driver = facts.driver("gaudi")
    versions = ""
    if driver is not None and driver.version and driver.library_version:
        versions = f" hl-smi is {driver.library_version}, the driver {driver.version}."
    if unlike := _releases_unlike(facts):
        yield _of_releases(
            *unlike, specs, evidence=quoted((*events, *facts.stated("gaudi-image", "gaudi-driver-release")))
        )
        return
    taken = facts.stated("gaudi-card-taken")
    given = container_options(facts)
    if given is not None and "habana" not in given.lower() and not taken and not is_kubernetes(facts):
        yield Problem(
            title="The container was started without the habana runtime, so no Gaudi card is inside",
            evidence=quoted((*events, *facts.stated("container-run")[:1])),
            remedies=_remedies(facts, specs, held=False)[:1],
        )
        return
    detail = f"Another process uses it, it is hidden, or driver and user space come from different releases.{versions}"
    yield Problem(
        title="Another process uses the Gaudi card that a program requested"
        if taken
        else "A program could not acquire a Gaudi card",
        detail="Only one process can use a card at a time; a process that crashed may still hold it."
        if taken
        else detail,
        evidence=quoted(events),
        remedies=_remedies(facts, specs, held=bool(taken)),
    )


def _remedies(facts: Facts, specs: Specs, *, held: bool) -> tuple[Remedy, ...]:
    """Return the steps; first the one that fits how the program was started."""
    given = container_options(facts)
    ungiven = given is not None and "habana" not in given.lower()
    driver = _driver_release(facts)
    image = _image_of(driver, specs) if driver is not None else None
    if is_kubernetes(facts):
        start = (
            _POD
            if driver is None
            else replace(_POD, text=_POD.text.replace("the nodes' driver", f"the nodes' driver, {driver}"))
        )
    else:
        start = Remedy(
            text="In a container: pass the cards, and use an image from the driver's release"
            + (f" {driver}." if driver is not None else "."),
            command=command_line("docker run --runtime=habana -e HABANA_VISIBLE_DEVICES=all", image or "IMAGE"),
            action="env",
        )
    if (free := _free(facts)) is not None and not is_kubernetes(facts):
        return (free, _HOLDER)
    inside = ungiven or is_kubernetes(facts) or (in_container(facts) and driver is not None)
    return (start, _HOLDER) if inside and not held else (_HOLDER, start)


def _free(facts: Facts) -> Remedy | None:
    """Return how to start the program on a card that no other holds; None if the text does not show one beside a busy
    one, or starts no container.
    """
    shares = {
        one.index: one.memory_used_bytes / one.memory_total_bytes
        for one in facts.of("gaudi")
        if one.memory_used_bytes is not None and one.memory_total_bytes
    }
    free = [index for index, share in shares.items() if share < _IDLE]
    busy = [index for index, share in shares.items() if share >= _IDLE]
    if not free or not busy or (container_options(facts) is None and not in_container(facts)):
        return None
    return Remedy(
        text=f"Card {', '.join(map(str, busy))} holds another program's memory, {', '.join(map(str, free))} are free "
        "(hl-smi): a card serves one program, so give this container a free one. What was started with all cards keeps "
        "them until it is started again with fewer.",
        command=command_line("docker run --runtime=habana -e", assignment_word(_MASK, str(free[0])), "IMAGE"),
        action="env",
    )


def _driver_release(facts: Facts) -> str | None:
    driver = facts.driver("gaudi")
    if driver is not None and driver.version:
        return driver.version.partition("-")[0]
    told = next((v for fact in facts.stated("gaudi-driver-release") if (v := fact.value("version"))), None)
    return told.partition("-")[0] if told is not None else None


def _image_of(release: str, specs: Specs) -> Word | None:
    """Return the PyTorch image of a Gaudi software release; None if no table has it."""
    table = specs.table("gaudi/releases") or {}
    line = ".".join(release.split(".")[:2])
    row = next((row for row in table.get("releases", ()) if row["release"] == line), None)
    if row is None or len(release.split(".")) != 3:
        return None
    return image_word(table["image"].format(release=release, torch=row["torch"]))


def _of_generation(facts: Facts, specs: Specs) -> Problem | None:
    """Return the problem of a release that rejects the server type: it no longer supports its card generation."""
    refused = facts.stated("gaudi-server-refused")
    if not refused:
        return None
    release = next((v for fact in facts.stated("gaudi-image") if (v := fact.value("version"))), None)
    known = support_of(specs, "gaudi", "gaudi1")
    if known is None or known.last is None or (release is not None and known.serves(release) is not False):
        return None
    return Problem(
        title=f"The Gaudi software{f' {release}' if release else ''} does not support {known.title}: "
        f"{known.last} is the last release that does",
        detail=f"See {known.source}",
        evidence=quoted((*refused[:1], *facts.stated("gaudi-image")[:1])),
        remedies=(
            Remedy(
                text=f"Use the image of release {known.last} or older, with that release's driver and firmware "
                f"on the host (AWS: an AMI of {known.last}); newer releases are for Gaudi 2 and 3.",
                action="env",
            ),
        ),
    )


def _releases_unlike(facts: Facts) -> tuple[str, str] | None:
    """Return the releases of image and driver if both are known and do not match."""
    image = next((v for fact in facts.stated("gaudi-image") if (v := fact.value("version"))), None)
    host = _driver_release(facts)
    if image is None or host is None or image.split(".")[:2] == host.split(".")[:2]:
        return None
    return image, host


def _of_releases(image: str, host: str, specs: Specs, evidence: tuple[Evidence, ...]) -> Problem:
    """Return the problem, and first the step with a command that is complete: without a known image the host's."""
    known = _image_of(host, specs)
    of_image = Remedy(
        text=f"Use the image from the driver's release, {host}, with the packages that match it.",
        command=command_line("docker run --runtime=habana -e HABANA_VISIBLE_DEVICES=all", known) if known else None,
        action="env",
    )
    of_host = Remedy(
        text=f"Update the host's driver and firmware to {image}, and restart the machine; in a cloud, start it from an "
        f"image (AMI) of {image}.",
        command=command_line(
            "sudo apt-get install -y",
            *(
                requirement_word(name, image, relation="=", any_build=True)
                for name in ("habanalabs-dkms", "habanalabs-firmware", "habanalabs-firmware-tools")
            ),
        ),
        action="admin",
    )
    return Problem(
        title=f"The container's Gaudi software is {image}, but the driver is {host}",
        detail="The driver, the firmware and the software in the container must come from one release.",
        evidence=evidence,
        verification={
            "text": "The driver and the software in the container have one release.",
            "command": "hl-smi; pip list | grep -i habana",
        },
        remedies=(of_image, of_host) if known else (of_host, of_image),
    )
