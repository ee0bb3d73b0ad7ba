"""Steps of installers: what is there at the end, and what was there before."""

from accel.facts.readers.installer import READER
from accel.model.observation import Installed

TEXT = """\
Found existing installation: torch 2.3.0
Uninstalling torch-2.3.0:
  Successfully uninstalled torch-2.3.0
Requirement already satisfied: numpy<2 in /env/lib/python3.11/site-packages (from torch) (1.26.4)
Successfully installed torch-2.4.0+cu121 triton-3.0.0
 - triton==3.0.0
"""


def test_what_was_removed_at_the_end_is_no_package() -> None:
    (reading,) = READER.read(TEXT)
    assert reading.environment is not None
    packages = {p.name: p.version for p in reading.environment.packages or ()}
    assert packages == {"torch": "2.4.0", "numpy": "1.26.4"}


def test_each_step_is_seen_in_the_order_of_the_text() -> None:
    (reading,) = READER.read(TEXT)
    steps = [(one.package, one.version, one.removed) for one in reading.observations if isinstance(one, Installed)]
    assert steps == [
        ("torch", "2.3.0", False),
        ("torch", "2.3.0", True),
        ("numpy", "1.26.4", False),
        ("torch", "2.4.0+cu121", False),
        ("triton", "3.0.0", False),
        ("triton", "3.0.0", True),
    ]


def test_the_case_of_the_letters_does_not_matter() -> None:
    (reading,) = READER.read("SUCCESSFULLY INSTALLED TORCH-2.4.0+CU121\n")
    assert reading.environment is not None
    assert reading.environment.packages is not None
    assert reading.environment.packages[0].name == "torch"
