"""What a container was given: device nodes, mounted driver libraries, shared memory.

/dev, /dev/dri, /dev/accel, /dev/vfio   the nodes that the vendors' declarations name
/proc/self/mountinfo   "… /usr/lib/x86_64-linux-gnu/libacme.so.1.2 ro … - ext4 …": a single mounted file was put there
                       by the container's runtime
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.machine.files import file_text, names_in
from accel.text.pattern import pattern
from accel.vendors.toolkit.notes import noted

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.observation import Noted
    from accel.model.snapshot import Host
    from accel.vendors.toolkit.held_nodes import HeldNodes

_FOLDERS: Final = ("/dev", "/dev/dri", "/dev/accel", "/dev/vfio", "/dev/nvidia-caps")
_LIBRARY: Final = pattern(r" (/[\w./+-]{1,200}/lib[\w.+-]{1,80}\.so[\d.]{0,40}) ", exact_case=True)
_MOST_NODES: Final = 64


def given(machine: "Machine", host: "Host", nodes: "HeldNodes") -> "Iterator[Noted]":
    """Yield container-given if this is a container."""
    if not host.containerized:
        return
    paths = [f"{folder}/{name}" for folder in _FOLDERS for name in names_in(machine, folder)]
    shown = [path for path in paths if nodes.path_in(path) == path][:_MOST_NODES]
    mounted = set(_LIBRARY.findall(file_text(machine, "/proc/self/mountinfo", 1 << 20) or ""))
    engine = host.container or "the container's engine"
    text = f"{engine} gave {' '.join(shown) or 'no device node'}, and mounted {len(mounted)} libraries"
    values = {"engine": host.container, "nodes": " ".join(shown), "libraries": str(len(mounted))}
    if host.shm_bytes is not None:
        values["shm_bytes"] = str(host.shm_bytes)
    yield noted("container-given", text, "/dev", **values)
