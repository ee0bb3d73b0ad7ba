"""The Python environments with a framework, near the working directory and in the usual places.

venv, uv    folders below the working directory with a pyvenv.cfg; VIRTUAL_ENV; ~/.virtualenvs, ~/venvs, ~/.venvs
conda       CONDA_PREFIX; ~/.conda/environments.txt; envs/ of the usual installations
pyenv, PATH ~/.pyenv/versions; the first python3 on PATH
"""

from collections.abc import Iterator
from typing import Final

from accel.facts.readers.frameworks import FRAMEWORK_PACKAGES
from accel.machine.files import file_text, names_in
from accel.machine.protocol import Machine
from accel.text.versions import normalised

_CONDAS: Final = ("miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", ".local/share/mamba")
_COLLECTIONS: Final = (".virtualenvs", "venvs", ".venvs", "envs", ".pyenv/versions", ".cache/pypoetry/virtualenvs")
_MOST: Final = 200


def environments_nearby(machine: Machine) -> tuple[str, ...]:
    """Return the interpreters of the environments with a framework, each once, nearest first."""
    found: dict[str, str] = {}
    for prefix in dict.fromkeys(_prefixes(machine)):
        python = next((p for p in (f"{prefix}/bin/python", f"{prefix}/bin/python3") if machine.exists(p)), None)
        if python is not None and _has_framework(machine, prefix):
            found.setdefault(prefix, python)
        if len(found) == _MOST:
            break
    return tuple(found.values())


def _prefixes(machine: Machine) -> Iterator[str]:
    variables = machine.environment
    home = variables.get("HOME", "")
    here = variables.get("PWD") or "."
    yield from (v for name in ("VIRTUAL_ENV", "CONDA_PREFIX") if (v := variables.get(name, "").rstrip("/")))
    yield from (f"{here}/{name}" for name in names_in(machine, here) if machine.exists(f"{here}/{name}/pyvenv.cfg"))
    if home:
        yield from (f"{home}/{group}/{name}" for group in _COLLECTIONS for name in names_in(machine, f"{home}/{group}"))
        listed = file_text(machine, f"{home}/.conda/environments.txt") or ""
        yield from (line.strip().rstrip("/") for line in listed.splitlines() if line.strip().startswith("/"))
    for root in (*(f"{home}/{name}" for name in _CONDAS if home), "/opt/conda", "/opt/miniconda3", "/opt/anaconda3"):
        yield root
        yield from (f"{root}/envs/{name}" for name in names_in(machine, f"{root}/envs"))
    for folder in variables.get("PATH", "").split(":"):
        if folder.endswith("/bin") and machine.exists(f"{folder}/python3"):
            yield folder.removesuffix("/bin")


def _has_framework(machine: Machine, prefix: str) -> bool:
    sites = [
        f"{prefix}/lib/{name}/site-packages" for name in names_in(machine, f"{prefix}/lib") if name[:6] == "python"
    ]
    sites += [f"{prefix}/lib/python3/dist-packages"] if prefix == "/usr" else []
    return any(
        normalised(entry.partition("-")[0]) in FRAMEWORK_PACKAGES
        for site in sites
        for entry in names_in(machine, site)
        if entry.endswith((".dist-info", ".egg-info"))
    )
