"""Commands of the operating system's tools, adapted to this distribution; and options for its kernel. Pure.

sudo apt install gcc          sudo dnf install gcc; brew install gcc on a Mac
sudo update-initramfs -u      sudo dracut --force
kernel_option("iommu", "pt")  sudo grubby --update-kernel=ALL --args=iommu=pt, or the equivalent for its boot loader

Checks write them as on Debian; the answer is None if there is no counterpart here.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.text.pattern import pattern
from accel.text.shells import Step, Token
from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import boot_option_word, chained, command_line, option_word, within_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_VERSION: Final = pattern(r"[0-9]{1,4}(?:[.-][0-9]{1,4}){0,3}", exact_case=True)
_VERBS: Final = {"install": "install", "purge": "remove", "remove": "remove"}
_BY_RELEASE: Final = {"dnf": "-", "yum": "-", "zypper": "=", "apk": "="}  # what is between a name and its release
_NO_APT: Final = "apt-excluded"


def of_this_system(step: Step, facts: "Facts", specs: "Specs") -> Step | None:
    """Return the counterpart on this system of a step with apt or another Debian tool; None if there is none."""
    raw = [token.raw for token in step.words]
    words = raw[1:] if raw[0] == "sudo" else raw
    if not words:
        return step
    verb = _VERBS.get(words[1]) if len(words) > 1 and words[0] in ("apt", "apt-get") else None
    manager = _of(facts, shells_table(specs).get("package_managers", ()))
    if verb is None:
        return _of_tool(step, raw, words, manager, specs)
    table = shells_table(specs)
    start = ["sudo"] if raw[0] == "sudo" else []
    if manager is None and facts.stated(_NO_APT):
        return None
    if manager is None or manager["name"] == "apt":
        return step
    asked = [word for word in words[2:] if not word.startswith("-")]
    named = [_named(word.strip("'\""), manager["name"], table.get("system_packages", ())) for word in asked]
    if any(name is None for name in named):
        return None
    options = [manager["agree"]] if "-y" in words and "agree" in manager else []  # some ask nothing
    start = start if manager.get("sudo", True) else []
    told = [name for name in dict.fromkeys(named) if name is not None]
    quoted = (f'"{name}"' if "$(" in name else f"'{name}'" if "*" in name else name for name in told)
    line = (*start, *manager[verb].split(), *options, *quoted)
    return Step(step.by, plain_words(*line))


def of_one_system(steps: Sequence[Step], facts: "Facts", specs: "Specs") -> Sequence[Step]:
    """Return steps without those for another package manager: apt's lists, and "|| yum …" with what follows it."""
    rows = shells_table(specs).get("package_managers", ())
    manager = (_of(facts, rows) or {}).get("name")
    same = {"dnf", "yum"} if manager in ("dnf", "yum") else {manager}
    others = {row["name"] for row in rows} - same
    kept: list[Step] = []
    left_out = False
    for step in steps if manager else ():
        program, verb, *_ = [token.raw.removesuffix("-get") for token in step.words if token.raw != "sudo"] + ["", ""]
        lists = (program, verb) == ("apt", "update")
        foreign = program in others and (program != "apt" or lists)
        left_out = step.by == "||" if foreign else left_out and step.by == "&&"
        if step.by == "||" and not foreign and program != "apt" and program in same and kept:
            kept[-1] = Step(kept[-1].by, step.words)  # apt … || dnf …, on Fedora
        elif not left_out and not (foreign and lists):
            kept.append(step)
    return kept if manager else steps


def by_hand(step: Step, steps: Sequence[Step], specs: "Specs") -> str | None:
    """Return what replaces a step of apt whose packages have no known names here; None if a step is Debian's alone."""
    only = set(shells_table(specs).get("debian_tools", ()))
    if any(token.raw in only for one in steps for token in one.words[:2]):
        return None
    program, verb, *names = [token.value or token.raw for token in step.words if token.value != "sudo"] + ["", ""]
    if program not in ("apt", "apt-get") or verb != "install":
        return None
    names = [name for name in names if name and not name.startswith("-")]
    return f"Before that, install what Debian calls {' and '.join(names)}, with the system's own package manager."


def kernel_option(name: str, value: str | None, facts: "Facts", specs: "Specs") -> str | None:
    """Return the command that sets a kernel option for future boots: "iommu", "pt".

    If the distribution is unknown, Debian's command is returned; None for a distribution that is in no table.

    value  None or "" for an option without a value
    """
    every = shells_table(specs).get("kernel_options", ())
    rows = [row for row in every if "when" not in row or facts.stated(row["when"])]
    known = facts.host.distribution is not None
    row = _of(facts, rows) or next((r for r in rows if r["style"] == "drop-in" and not known), None)
    word = boot_option_word(name, value)
    if row is None or word is None:
        return None
    if row["style"] == "grubby":
        return command_line("sudo grubby --update-kernel=ALL", option_word("--args", word))
    if row["style"] == "kernelstub":
        return command_line("sudo kernelstub --add-options", word)
    if row["style"] == "rpm-ostree":
        return command_line("sudo rpm-ostree kargs", option_word("--append-if-missing", word))
    if row["style"] == "drop-in":  # a separate file, which can be removed again
        line = within_word('GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX {0}"', word)
        return chained(command_line("echo", line, "| sudo tee -a /etc/default/grub.d/accel.cfg"), row["update"])
    if row["style"] == "line":  # systemd-boot: a file with the line, or one for each entry
        return chained(command_line("sudo sed -i", within_word(row["change"], word), row["files"]), row["update"])
    line = within_word('s/^GRUB_CMDLINE_LINUX="/&{0} /', word)
    return chained(command_line("sudo sed -i", line, "/etc/default/grub"), row["update"])


def shells_table(specs: "Specs") -> Mapping[str, Any]:
    """Return specs/language/shells."""
    table: Mapping[str, Any] | None = specs.table("language/shells")
    return table or {}


def plain_words(*words: str) -> tuple[Token, ...]:
    """Return words that need no shell quoting, as tokens."""
    return tuple(Token(word, word) for word in words)


def _of(facts: "Facts", rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the first row for this distribution, or for this system."""
    told = (facts.host.distribution or "").lower()
    system = facts.host.system
    return next(
        (r for r in rows if system in r.get("systems", ()) or any(name in told for name in r["distributions"])), None
    )


def _of_tool(
    step: Step, raw: list[str], words: list[str], manager: Mapping[str, Any] | None, specs: "Specs"
) -> Step | None:
    """Return a step with another Debian tool, in the form used by the distribution of that package manager."""
    row = next((r for r in shells_table(specs).get("system_tools", ()) if r["apt"] == " ".join(words)), None)
    if row is None or manager is None or manager["name"] == "apt":
        return step
    if manager["name"] not in row:
        return None
    return Step(step.by, plain_words(*(["sudo"] if raw[0] == "sudo" else []), *row[manager["name"]].split()))


def _named(package: str, manager: str, rows: Sequence[Mapping[str, str]]) -> str | None:
    """Return the name elsewhere of a Debian package; a version in its name, and its release, are kept."""
    name, _, release = package.partition("=")
    found = _VERSION.search(name)
    general = _VERSION.sub("{version}", name, count=1)
    row = next((row for one in (name, general) for row in rows if row["apt"] == one), {})
    named = row.get(manager)
    if named is not None and release and "{release}" not in named and manager in _BY_RELEASE:
        named = f"{named}{_BY_RELEASE[manager]}{{release}}"
    if named is None or (release and "{release}" not in named):
        return None
    called = named.replace("{version}", found[0] if found else "")
    return called.replace("{release}", release.removesuffix("-*"))


def newer_kernel(facts: "Facts", specs: "Specs", hardware: Iterable[str], then: str = "") -> Remedy | None:
    """Return the step to a kernel that drives the GPU; None if this one does, or either is unknown.

    hardware  what specs/system/support.yaml calls it: an architecture, a target
    """
    from accel.specs.support import support_of  # few machines are that old
    from accel.specs.versions import numbers

    running, told = facts.host.kernel, (facts.host.distribution or "").lower()
    release = running.partition("-")[0] if running is not None and not facts.host.wsl else None
    known = (support_of(specs, "linux", one) for one in hardware)
    lacking = next((one.first for one in known if one is not None and one.serves(release) is False), None)
    if lacking is None:
        return None
    rows = (specs.table("system/kernel_packages") or {}).get("newer", ())
    fits = (row for row in rows if any(name in told for name in row["names"]))
    row = next((row for row in fits if numbers(row.get("most", lacking)) >= numbers(lacking)), None)
    how = f" ({row['says']})" if row is not None else ""
    text = f"Linux {running} is older than this GPU: boot {lacking} or newer, with its firmware{how}{then}."
    return Remedy(text=text, command=row["command"] if row is not None else None, action="admin")
