"""What the parsing of product names needs from the spec database."""

from collections.abc import Iterator
from typing import Any, Protocol

from accel.model.chip import Chip
from accel.names.index import Index
from accel.names.products import ProductNames


class Catalog(Protocol):
    """The products with their records: `accel.specs.Specs` implements it."""

    @property
    def product_names(self) -> ProductNames:
        """Return the names of every product, ready to search texts for."""

    def table_at(self, place: str) -> Any:
        """Return the table of an index entry; None if there is none."""

    def tables(self, start: str, part: str = "", depth: int | None = None) -> Iterator[tuple[str, Any]]:
        """Yield (name, data) of every table whose name starts with `start`, contains `part` and has `depth` slashes."""

    def chips(self, vendor: str | None = None) -> tuple[Chip, ...]:
        """Return every chip, or those of one vendor."""

    def find(self, name: str, vendor: str | None = None) -> tuple[Chip, ...]:
        """Return every chip that the name can mean, fastest first; () if there is none."""

    def outlines(self) -> Index:
        """Return the index of the products without figures."""
