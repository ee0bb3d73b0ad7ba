"""Under WSL, ROCm's runtime in use is not the one that speaks to Windows."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Evidence, Problem, Remedy, applies, check, quoted
from accel_amd import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="AM004",
    name="rocm-on-wsl",
    layer="driver",
    family="wsl-driver-libs",
    reads=("no-hip-gpus", "rock-not-loaded", "rocm-torch-named"),
    needs=("host.wsl",),
    requires=("rocm-torch-on-nvidia",),
)
def rocm_on_wsl(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """Under WSL, a ROCm build brings an HSA runtime that cannot talk to the Windows driver.

    Why it matters   torch says that no HIP GPU is available, though the GPU and the driver of Windows are fine.
    What to do       Install ROCm for WSL, and put its libhsa-runtime64 in the place of the wheel's own.
    Looks at         signs of WSL; a ROCm build that sees no GPU
    Silent when      it sees one, or there is no sign of WSL
    Source           AMD: install PyTorch for ROCm on WSL
    """
    applies(signs.on_wsl(facts), "no sign of WSL")
    torch = signs.torch(facts)
    said = facts.stated("no-hip-gpus", "rock-not-loaded")
    rocm = signs.is_rocm(torch) or bool(said or facts.stated("rocm-torch-named"))
    if not rocm or not (said or (torch is not None and torch.available is False)):
        return
    yield Problem(
        title="Under WSL, the ROCm build's own HSA runtime does not reach the Windows driver",
        evidence=(
            *quoted(said, most=2),
            *((Evidence(fact="torch", value=torch.version),) if torch is not None and torch.version else ()),
        ),
        remedies=(
            Remedy(
                text="Install ROCm for WSL, as AMD's page for WSL says.",
                command="sudo amdgpu-install -y --usecase=wsl,rocm --no-dkms",
                action="admin",
            ),
            Remedy(
                text="Take the wheel's own HSA runtime away, so that the one for WSL is found.",
                command=("rm \"$(python -c 'import torch; print(torch.__path__[0])')\"/lib/libhsa-runtime64.so*"),
                action="env",
            ),
        ),
    )
