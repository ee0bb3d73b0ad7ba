"""Describes memory that is held by no visible process, and what frees it. Pure."""

from typing import TYPE_CHECKING, Final

from accel.model.diagnosis import Remedy
from accel.vendors.contract.command import chained, command_line, number_word, path_word

if TYPE_CHECKING:
    from accel.facts.ghosts import Ghost
    from accel.model.holding import Holder

_WHY: Final = {
    "stuck": "{who} in the kernel{where} and does not run: nothing can kill it, and it keeps what it holds",
    "zombie": (
        "{who} ended, but not completely: one of its threads waits in the kernel, or its parent has not reaped it"
    ),
    "ended": "the driver lists {who}, which ended: it has not freed their memory",
    "unlisted": "{who} the device open, but the driver does not list {them}: leftovers of a job hold memory like this",
    "unplaced": "{who} a node of the vendor's open, of no one device, and the driver does not list {them} on this one",
    "elsewhere": "the process that uses it is outside this container, which only shows its own processes",
    "closed": "processes of other users could not be inspected: one of them may use it",
    "unread": "there was no time to inspect all processes: one of them may use it",
    "nobody": "no process that could use it exists: the driver has not freed it",
}


def why(ghost: "Ghost") -> str:
    """Return the reason as a sentence without a full stop."""
    many = len(ghost.holders) != 1
    pids = ", ".join(str(holder.process.pid) for holder in ghost.holders[:8])
    verb = {"stuck": ("waits", "wait"), "zombie": ("has", "have"), "unlisted": ("has", "have")}.get(ghost.reason)
    who = f"{'processes' if many else 'process'} {pids}{f' {verb[many]}' if verb else ''}"
    them = "them" if many else "it"
    unplaced = ghost.reason == "unlisted" and all(holder.device is None for holder in ghost.holders)
    return _WHY["unplaced" if unplaced else ghost.reason].format(who=who, where=_where(ghost.holders), them=them)


def remedies(ghost: "Ghost", reset: str | None = None) -> tuple[Remedy, ...]:
    """Return what frees the memory, the mildest first. reset: the command that resets the device, if known."""
    device = path_word(ghost.device)
    first = ghost.reason in ("nobody", "ended")
    start = "Reset" if first else "If the memory stays, reset"
    again = Remedy(text=f"{start} the device once nothing uses it, or reboot.", command=reset or None, action="reset")
    host = command_line("sudo accel ps", device, "--ghosts")
    if ghost.reason == "unlisted" and all(holder.device is None for holder in ghost.holders):
        ends = chained(*(command_line("kill", number_word(h.process.pid)) for h in ghost.holders[:8]), by=";")
        return (Remedy(text="Stop those whose job is over.", command=ends, action="env"), again)
    if ghost.reason == "unlisted":
        return (
            Remedy(
                text="End them, if their job is over.",
                command=command_line("accel ps", device, "--ghosts --kill"),
                action="env",
            ),
            again,
        )
    if ghost.reason == "zombie":
        parents = [number_word(h.process.parent_pid) for h in ghost.holders[:4] if (h.process.parent_pid or 0) > 1]
        looks = chained(*(command_line("ps -o pid,stat,user,args -p", parent) for parent in parents), by=";")
        return (
            Remedy(text="End its parent, which then gives it up.", command=looks if parents else None, action="env"),
            again,
        )
    if ghost.reason == "stuck":
        pids = [number_word(holder.process.pid) for holder in ghost.holders[:4]]
        shown = (command_line("sudo cat", path_word(f"/proc/{pid}/stack")) for pid in pids)
        return (
            Remedy(
                text="Check where it waits, for a report.", command=chained(*shown, by=";"), action="admin", kind="look"
            ),
            Remedy(text="Reboot: such a process cannot be ended.", action="reboot"),
        )
    if ghost.reason == "elsewhere":
        return (Remedy(text="Look on the host.", command=host, action="admin", kind="look"),)
    if ghost.reason == "closed":
        return (Remedy(text="Look as root.", command=host, action="admin", kind="look"),)
    if ghost.reason == "unread":
        return (
            Remedy(text="Look again, with time.", command=command_line("accel ps", device, "--ghosts"), kind="look"),
        )
    return (again,)


def _where(holders: "tuple[Holder, ...]") -> str:
    waits = next((h.process for h in holders if h.process.waits_in), None)
    if waits is None:
        return ""
    return f" ({waits.waits_in}{f' of {waits.waits_in_module}' if waits.waits_in_module else ''})"
