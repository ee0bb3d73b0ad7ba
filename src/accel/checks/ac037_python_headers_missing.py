from collections.abc import Iterator

from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import command_line, system_package_word, version_word


@check(
    code="AC037",
    name="python-headers-missing",
    layer="toolkit",
    reads=("python-headers-missing",),
    needs=("run.build",),
)
def python_headers_missing(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A compiler does not find Python.h (or a header of the C library): the development files are not installed.

    Why it matters   Triton and torch.compile build a small module when they start a kernel; extensions fail the same
                     way. The GPU is fine.
    What to do       Install the development files of this Python: python3-dev, python3-devel; in a container
                     in its image.
    Looks at         the compiler's error about the header
    Silent when      the header belongs to a vendor's library, or to the program
    Source           Triton: runtime/build.py; Debian and Fedora: their packages of Python
    """
    told = facts.stated("python-headers-missing")
    if not told:
        return
    name = next((fact.value("name") for fact in told if fact.value("name")), None) or "Python.h"
    python = version_word(".".join((facts.environment.python_version or "").split(".")[:2]) or None)
    package = system_package_word(f"python{python or 3}-dev")
    of_python = name.lower() == "python.h"
    wanted = package if of_python else system_package_word("libc6-dev")
    inside = facts.host.containerized
    text = "Install the C library's development files"
    text = "Install Python's development files (python3-devel on Fedora and RHEL)" if of_python else text
    elsewhere = _of_other_system(facts, of_python)
    yield Problem(
        title=f"The compiler does not find {name}: development files are missing",
        evidence=quoted(told),
        remedies=elsewhere
        or (
            Remedy(
                text=f"{text}, in the image: add this line to the Dockerfile." if inside else f"{text}.",
                command=command_line("RUN apt-get update && apt-get install -y", wanted)
                if inside
                else command_line("sudo apt install", wanted),
                action="env" if inside else "admin",
            ),
        ),
    )


def _of_other_system(facts: Facts, of_python: bool) -> tuple[Remedy, ...]:
    """Return how to get the headers on systems without a Linux package manager; () on Linux."""
    if facts.host.system == "windows" and of_python:
        return (
            Remedy(
                text="Let the compiler use a Python with the folders include and libs, as installed by "
                "python.org's installer. The embeddable one, which portable programs include, has neither: "
                "copy both folders into it from a full Python of the same minor version (such as 3.12).",
                command="python -c \"import sysconfig; print(sysconfig.get_paths()['include'])\"",
                action="env",
            ),
        )
    if facts.host.system == "windows":
        return (Remedy(text="Add the Windows SDK in Visual Studio's installer, and build in its native tools prompt."),)
    if facts.host.system == "macos":
        return (Remedy(text="Install Apple's command line tools.", command="xcode-select --install", action="admin"),)
    return ()
