"""The names of all products in a text with their positions, including products without figures."""

from typing import TYPE_CHECKING

from accel.names.index import words_by_use
from accel.text.words import Words

if TYPE_CHECKING:
    from accel.names.catalog import Catalog
    from accel.names.products import NamedProduct, ProductNames


def names_of(catalog: "Catalog", words: Words) -> "list[NamedProduct]":
    """Return the names in a text in order, including products without figures; none nested in another."""
    others = [one for one in outline_names(catalog).in_words(words) if one.branded and not one.bare]
    found = list(catalog.product_names.in_words(words))
    found = [one for one in found if not any(_holds(other, one) for other in others)]
    apart = (one for one in others if not any(one.start < other.end and other.start < one.end for other in found))
    return sorted((*found, *apart), key=lambda one: one.start)


def _holds(one: "NamedProduct", other: "NamedProduct") -> bool:
    """Return whether a name is part of a longer one: the "6650M" in "Radeon HD 6650M"."""
    return one.start < other.start and other.end <= one.end and not other.branded


def outline_names(catalog: "Catalog") -> "ProductNames":
    """Return the names of products without figures, ready to search texts for."""
    from accel.names.products import ProductNames

    index = catalog.outlines()
    if "product names" not in index:
        index["product names"] = ProductNames({**index, **words_by_use(index["names"])}, catalog.table_at)
    found: ProductNames = index["product names"]
    return found
