"""A program could not take a Gaudi card."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.specs.support import support_of
from accel.vendors.contract.check import Evidence, Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="GA004",
    name="gaudi-not-acquired",
    reads=("gaudi-acquire-failed", "gaudi-card-taken", "gaudi-image", "gaudi-driver-release", "gaudi-server-refused"),
    needs=("run.program",),
    layer="access",
    requires=("gaudi-driver-not-loaded",),
    explained_by=("gaudi-unhealthy",),
)
def gaudi_not_acquired(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """Intel's runtime found no card that this process may have.

    Why it matters   A card serves one process at a time. Held by another, hidden, or with user-space software of
                     another release than the driver, it is refused, and the message does not say which of these it was.
    What to do       See who holds the cards, and whether the versions agree; end what was left over.
    Looks at         "synStatus=… Device acquire failed" of the runtime and its number; the release of the driver
                     against that of the container's image
    Silent when      no such sentence was said
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
        yield _of_releases(*unlike, evidence=quoted((*events, *facts.stated("gaudi-image", "gaudi-driver-release"))))
        return
    taken = facts.stated("gaudi-card-taken")
    detail = f"It is held by another process, is hidden, or driver and user space are of two releases.{versions}"
    yield Problem(
        title="Another process has the Gaudi card that a program wanted"
        if taken
        else "A program could not take a Gaudi card",
        detail="A card serves one process at a time; a process that has ended badly may still have it."
        if taken
        else detail,
        evidence=quoted(events),
        remedies=(
            Remedy(
                text="End the program that holds the cards, or take free ones: this shows who does, as root everybody.",
                command="sudo hl-smi",
                action="app",
            ),
            Remedy(
                text="In a container: pass the cards, and use an image of the driver's release.",
                command="docker run --runtime=habana -e HABANA_VISIBLE_DEVICES=all IMAGE hl-smi",
                action="env",
            ),
        ),
    )


def _of_generation(facts: "Facts", specs: "Specs") -> Problem | None:
    """Return what a release tells that refuses the kind of server: it serves this generation of cards no more."""
    refused = facts.stated("gaudi-server-refused")
    if not refused:
        return None
    release = next((v for fact in facts.stated("gaudi-image") if (v := fact.value("version"))), None)
    known = support_of(specs, "gaudi", "gaudi1")
    if known is None or known.last is None or (release is not None and known.serves(release) is not False):
        return None
    return Problem(
        title=f"The Gaudi software{f' {release}' if release else ''} does not serve {known.title}: {known.last} is the "
        "last release that does",
        detail=f"See {known.source}",
        evidence=quoted((*refused[:1], *facts.stated("gaudi-image")[:1])),
        remedies=(
            Remedy(
                text=f"Use the image of release {known.last} or older, with driver and firmware of that release on the "
                f"host (AWS: an AMI of {known.last}); newer releases are for Gaudi 2 and 3.",
                action="env",
            ),
        ),
    )


def _releases_unlike(facts: "Facts") -> tuple[str, str] | None:
    """Return the release of the image and of the driver where these are known and not of one line."""
    image = next((v for fact in facts.stated("gaudi-image") if (v := fact.value("version"))), None)
    driver = facts.driver("gaudi")
    host = driver.version.partition("-")[0] if driver is not None and driver.version else None
    host = host or next((v for fact in facts.stated("gaudi-driver-release") if (v := fact.value("version"))), None)
    if image is None or host is None or image.split(".")[:2] == host.split(".")[:2]:
        return None
    return image, host


def _of_releases(image: str, host: str, evidence: tuple[Evidence, ...]) -> Problem:
    return Problem(
        title=f"The container's Gaudi software is {image}, and the driver is of {host}",
        detail="Driver, firmware and what runs in the container are to be of one release.",
        evidence=evidence,
        remedies=(
            Remedy(
                text=f"Use the image of the driver's release, {host}, with the packages that go with it.", action="env"
            ),
            Remedy(
                text=f"Or bring the host's driver and firmware to {image}.",
                command="sudo apt-get install -y habanalabs-dkms habanalabs-firmware && sudo hl-smi",
                action="admin",
            ),
        ),
    )
