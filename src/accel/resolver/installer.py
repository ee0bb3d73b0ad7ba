"""The installer that the user works with, and commands for it. Pure.

pip                                  the default
uv pip                               uv was run, or printed a message
python3.10 -m pip, py -3.10 -m pip   as typed in the text's last installation
poetry run pip, pipenv run pip       the environment is managed by one of them
pixi                                 manages the environment: remedies/pixi.py has its own commands
pipx runpip NAME                     the environment of a program that pipx installed
"""

from typing import Final

from accel.facts.containers import is_of_class
from accel.facts.questions import Facts
from accel.model.dataclass import dataclass
from accel.model.observation import Command, Offered
from accel.text.pattern import pattern
from accel.text.shells import Token
from accel.vendors.contract.command import Word, command_line, name_word, url_word

_CALLED: Final = pattern(
    r"(?:^|[\s$#>!%])(?P<words>(?!-)(?:(?:[A-Za-z]:|~)?[A-Za-z0-9_.\\/-]{0,200}[\\/])?"
    r"(?:(?:python[0-9.]{0,6}|python\.exe|py(?: -[0-9][0-9.]{0,6})?) -m pip|(?<=[\\/])pip[0-9.]{0,6}))(?=\s)",
    exact_case=True,
)
_WORD: Final = pattern(r"'[^']{1,260}'|\S{1,260}", exact_case=True)
_OF_CONDA: Final = pattern(r"(?<![A-Za-z/.-])(?:[Aa]na|[Mm]ini)?conda(?![A-Za-z-])", exact_case=True)
_CONDA: Final = ("conda", "mamba", "micromamba")
_MANAGED: Final = ("poetry", "pipenv")
_PDM: Final = "pdm run python -m pip"
SAID: Final = "installer-said"


@dataclass(frozen=True, slots=True)
class Pip:
    """How to call pip. words: ready for a shell; for_user: it installs into the user's own folder."""

    words: str = "pip"
    for_user: bool = False

    @property
    def tokens(self) -> tuple[Token, ...]:
        """Return the words as tokens; a path with a space is quoted."""
        return tuple(Token(word, word.strip("'")) for word in _WORD.findall(self.words))


def pip_of(facts: Facts) -> Pip:
    """Return how the user calls pip: as typed in the last installer command, or implied by the packages' folder."""
    found = Pip("pixi") if is_of_class(facts, "pixi") else _said(facts)
    for one in facts.snapshot.observations:
        if isinstance(one, Command) and not one.advice:
            found = _typed(one) or found
        elif isinstance(one, Offered):
            found = _answered(one) or found
    return found


def _said(facts: Facts) -> Pip:
    """Return the pip of the installer that folders, files, messages or the writer name."""
    said = facts.stated(SAID)
    tool = said[-1].value("tool") if said else None
    named = next((name for fact in said if fact.value("tool") == tool and (name := fact.value("name"))), None)
    program = name_word(named.lower()) if named is not None else None
    return Pip(
        {"uv": "uv pip", "pixi": "pixi", "pipx": f"pipx runpip {program or 'NAME'}", "pdm": _PDM}.get(
            tool or "", f"{tool} run pip" if tool in _MANAGED else "pip"
        )
    )


def _answered(one: Offered) -> Pip | None:
    """Return the installer that printed a message about a package that it did not find."""
    if "hint:" in one.text and "`" in one.text:
        return Pip("uv pip")
    return Pip("poetry run pip") if "installation candidates" in one.text.lower() else None


def manager_of(facts: Facts) -> str | None:
    """Return the tool that manages the user's environments, if it is not pip-like: poetry, pipenv, pixi."""
    name, _, rest = pip_of(facts).words.partition(" ")
    if name == "pixi":
        return name
    return name if rest == "run pip" and name in _MANAGED else None


def in_conda(facts: Facts) -> bool:
    """Return whether the environment is conda's: by its command, folders or name, and no other package installer."""
    tools = [one.tool for one in facts.snapshot.observations if isinstance(one, Command) and not one.advice]
    if (manager := manager_of(facts)) is not None:
        return manager == "pixi"  # its packages are conda's
    if any(tool in ("pip", "pip3", "uv") for tool in tools):
        return False
    named = is_of_class(facts, "conda") or facts.variable("CONDA_PREFIX") is not None
    named = named or any(package.channel == "conda" for package in facts.packages())
    if named or any(tool in _CONDA for tool in tools):
        return True
    texts = (one.text for one in facts.snapshot.observations if one.status == "present")
    return any(_OF_CONDA.search(text) for text in texts)


def _typed(one: Command) -> Pip | None:
    if one.tool == "uv" or "uv pip " in one.text:
        return Pip("uv pip")
    if one.tool == "pixi" and one.verb:
        return Pip("pixi")
    if one.tool in _MANAGED and one.verb:
        return Pip(f"{one.tool} run pip")
    if one.tool == "pdm" and one.verb:
        return Pip(_PDM)
    if one.tool not in ("pip", "pip3", "py") or (one.tool == "py" and one.operands[:1] != ("pip",)):
        return None
    called = _CALLED.search(one.text)
    return Pip(called["words"] if called else "pip", for_user="--user" in one.options)


def pip_install(facts: Facts, *wanted: "Word | None", index: str | None = None, extra: str | None = None) -> str | None:
    """Return the command that installs these packages with pip; None if a word or an index is None.

    index  the only index; extra: an additional index. A page of wheels (.html) is passed as such
    """
    words: list[str | Word | None] = ["pip install", *wanted]
    for option, address in (("--index-url", index), ("--extra-index-url", extra)):
        if address is not None:
            page = address.endswith(".html")
            words += ["-f" if page else option, url_word(address)]
    return command_line(*words)
