"""Whether what failed runs in a container, and how that was started. Pure.

CONTAINER names the facts that these questions ask: a check that asks them declares them as its `reads`.
"""

from typing import TYPE_CHECKING, Final

from accel.contract.command import Word, command_line, image_word, name_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts

CONTAINER: Final = ("container-named", "container-run")


def in_container(facts: "Facts") -> bool:
    """Whether what failed runs in a container: the machine itself is one, or a text comes from one or speaks of one."""
    if facts.live:
        return facts.host.containerized is True
    return bool(facts.host.containerized or facts.host.container or facts.stated(*CONTAINER))


def container_options(facts: "Facts") -> str | None:
    """Return the options of the command that started the container; None if none is shown."""
    run = facts.first("container-run")
    return (run.value("options") or "") if run else None


def container_image(facts: "Facts") -> Word | str:
    """Return the image of the container, where the command that started it is shown; else a placeholder."""
    named = [words[0] for run in facts.stated("container-run") if (words := (run.value("operands") or "").split())]
    return (image_word(named[0]) if named else None) or "IMAGE"


def container_command(facts: "Facts", *options: str | Word | None) -> str | None:
    """Return the command that starts the container of the text with other options: by its engine, of its image.

    "docker" and "IMAGE" where the text names none.
    """
    run = facts.first("container-run")
    engine = name_word(run.value("tool")) if run else None
    return command_line(engine or "docker", "run", *options, container_image(facts))
