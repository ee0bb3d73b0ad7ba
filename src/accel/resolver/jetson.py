"""The torch of a Jetson: NVIDIA's wheel for its JetPack and that JetPack's Python; no other has code for it. Pure.

Thor's are like servers': the public wheels for 64-bit Arm have code for it.
"""

from typing import TYPE_CHECKING, Final

from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import chained, command_line, path_word, requirement_word, url_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_SAID: Final = "jetpack-said"
_ASK: Final = (
    "NVIDIA builds torch for each JetPack and its Python, and no other wheel has code for a Jetson. Which JetPack this "
    "is, is not told; it is printed by:  cat /etc/nv_tegra_release"
)


def torch_of_jetson(facts: "Facts", specs: "Specs") -> Remedy:
    """Return how the torch for the JetPack is installed; what is missing, where the JetPack is not known."""
    said = facts.stated(_SAID)
    rows = (specs.table("frameworks/jetson") or {}).get("releases", ())
    majors = {(key, (fact.value(key) or "").split(".")[0]) for fact in said for key in ("jetpack", "l4t")}
    row = next((row for row in rows if majors & {("jetpack", row["jetpack"]), ("l4t", row["l4t"])}), None)
    if row is None:
        return Remedy(text=_ASK + ".")
    python, have = row["python"], facts.environment.python_version or ""
    text = f"Install NVIDIA's torch {row['torch']} for JetPack {row['jetpack']}, which is built for Python {python}"
    if "index" in row:
        words = [requirement_word(name, row[name]) for name in ("torch", "torchvision")]
        install = ("install", *words, "--index-url", url_word(row["index"]))
    else:
        install = ("install", url_word(row["wheel"]))
    if "file" in row:
        fetch = command_line("wget", url_word(row["wheel"]), "-O", path_word(row["file"]))
        return Remedy(text=f"{text}.", command=chained(fetch, command_line("pip3 install", path_word(row["file"]))))
    if f"{have}.".startswith(f"{python}.") or not have:
        away = command_line("pip uninstall -y torch torchvision torchaudio")
        return Remedy(
            text=f"{text}, in the place of the one that is here.",
            command=chained(away, command_line("pip", *install)),
        )
    return Remedy(
        text=f"{text}: Python {have} has none, so make an environment with the system's, which is that one.",
        command=chained("/usr/bin/python3 -m venv jetson-env", command_line("jetson-env/bin/pip", *install)),
    )
