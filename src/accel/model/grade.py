"""How certain a fact is, and where the thing that it describes runs."""

from typing import Final, Literal

Status = Literal["present", "past", "negated", "quoted", "source", "expected", "hypothetical", "elsewhere", "unclear"]
Scope = Literal["host", "container"]
Grade = Literal["measured", "printed", "said", "implied"]
GRADES: Final[tuple[Grade, ...]] = ("measured", "printed", "said", "implied")  # the surest first
