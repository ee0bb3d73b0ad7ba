"""Where a program runs: in a container or on the host, and what the container was given."""

from typing import TYPE_CHECKING, Final

from accel.contract.command import image_word

if TYPE_CHECKING:
    from accel.contract.command import Word
    from accel.facts.questions import Facts

GIVES_NODES: Final = ("--privileged", "--device=/dev/accel", "--device=/dev/vfio", "-v=/dev:", "--volume=/dev:")


def in_container(facts: "Facts") -> bool:
    """Whether the program that failed runs in a container or a sandbox."""
    if facts.live:
        return facts.host.containerized is True
    return bool(facts.host.containerized or facts.stated("inside-container") or container_options(facts) is not None)


def container_options(facts: "Facts") -> str | None:
    """Return the options of the command that started the container; None if none is shown."""
    started = [fact for fact in facts.stated("container-started") if fact.value("advice") != "True"]
    return (started[0].value("options") or "") if started else None


def container_image(facts: "Facts") -> "Word | str":
    """Return the image of the container, where the command that started it is shown; else a placeholder."""
    named = [
        words[0] for fact in facts.stated("container-started") if (words := (fact.value("operands") or "").split())
    ]
    return (image_word(named[0]) if named else None) or "IMAGE"


def nodes_given(facts: "Facts") -> bool | None:
    """Whether the command that started the container hands TPU nodes over; None if no command is shown."""
    options = container_options(facts)
    return None if options is None else any(given in options.lower() for given in GIVES_NODES)
