from typing import Final

from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted

_TRANSLATED = ("translated", "rosetta", "have 'arm64', need 'x86_64")  # the last: of the loader, on an arm64 file

_TERMINAL: Final = Remedy(
    text="The terminal itself runs under Rosetta: in Finder select it, File, Get Info, untick Open using Rosetta, quit "
    "it and start it again. If this prints arm, remove the folder build and build again.",
    command="uname -p",
    action="env",
)


@check(
    code="AP004",
    name="python-under-rosetta",
    layer="framework",
    reads=(
        "terminal-under-rosetta",
        *("python-for-intel", "python-for-arm", "apple-chip", "mac-of-intel", "mps-unavailable", "mps-not-built"),
        *("instruction-unknown", "vector-units-wanted"),
    ),
    needs=(),
)
def python_under_rosetta(facts: Facts, specs: Specs) -> Problems:
    """Python is an Intel program (x86_64) that runs under Rosetta on a Mac with an Apple chip.

    Why it matters   It has no MPS, gets only the last wheels for Intel Macs, and code with AVX crashes.
    What to do       Install an arm64 Python or conda, and recreate the environment with it.
    Looks at         x86_64 or i386 in Python's platform string, together with an Apple chip or a use of MPS
    Silent when      Python is arm64; the Mac has an Intel processor; "10.16", which old Pythons report on newer macOS
    Source           CPython: platform; Apple: Rosetta translation environment; PyTorch: notes/mps
    """
    intel, chip = facts.stated("python-for-intel"), facts.stated("apple-chip")
    vendors = {device.vendor for device in facts.of("apple")}
    wanted = facts.stated("mps-unavailable", "mps-not-built")
    crashed = facts.stated("instruction-unknown", "vector-units-wanted")
    on_apple_chip = bool(chip) or "Apple" in vendors
    if facts.stated("mac-of-intel") and all(fact.grade == "said" for fact in chip):
        return  # a printed processor takes precedence over a chip named in prose
    if not on_apple_chip and vendors:
        return
    translated = any(sign in fact.text.lower() for fact in intel for sign in _TRANSLATED)
    sure = intel and (on_apple_chip or translated or wanted)
    if not sure and not (chip and crashed and not facts.stated("python-for-arm")):
        return
    if facts.stated("python-for-arm") and not translated:
        return
    yield Problem(
        title="Python is built for Intel processors and runs under Rosetta on this Mac",
        devices=tuple(device.id for device in facts.of("apple")),
        evidence=quoted((*intel[:2], *chip[:1], *wanted[:1], *crashed[:1])),
        severity=None if intel else "warning",
        remedies=(
            *(_TERMINAL,) * bool(facts.stated("terminal-under-rosetta")),
            Remedy(
                text="Check which processor Python is built for: it must print arm64.",
                command="python3 -c 'import platform; print(platform.machine())'",
                action="env",
                kind="look",
            ),
            Remedy(
                text="Install conda for arm64 (Miniforge's arm64 installer; a Homebrew for Intel in /usr/local "
                "would install the Intel one), open a new shell, and recreate the environment with it.",
                command="curl -fLO https://github.com/conda-forge/miniforge/releases/latest/download/"
                "Miniforge3-MacOSX-arm64.sh && bash Miniforge3-MacOSX-arm64.sh -b && ~/miniforge3/bin/conda init zsh",
                action="env",
            ),
        ),
    )
