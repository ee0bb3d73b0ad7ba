"""What the reading of product names asks of the spec database."""

from collections.abc import Iterator
from typing import Any, Protocol

from accel.model.chip import Chip
from accel.names.index import Index
from accel.names.products import ProductNames


class Catalog(Protocol):
    """The products with their records: `accel.specs.Specs` is one."""

    @property
    def product_names(self) -> ProductNames:
        """The names of every product, ready to be looked for in texts."""

    def table_at(self, place: str) -> Any:
        """Return the table that an entry of the index names; None without it."""

    def tables(self, start: str, part: str = "", depth: int | None = None) -> Iterator[tuple[str, Any]]:
        """Yield (name, data) of every table whose name begins with `start`, contains `part` and has `depth` slashes."""

    def chips(self, vendor: str | None = None) -> tuple[Chip, ...]:
        """Return every chip, of one vendor if named."""

    def find(self, name: str, vendor: str | None = None) -> tuple[Chip, ...]:
        """Return every chip that the name can mean, the fastest first; () if it means none."""

    def outlines(self) -> Index:
        """Return the index of the products without figures."""
