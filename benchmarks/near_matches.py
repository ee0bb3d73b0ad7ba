"""What accel's expressions match nearly, and what makes its readers begin."""

import sys
from collections.abc import Iterator


def signs_of_readers() -> list[str]:
    """Return what makes readers begin: their signs."""
    from accel.plugins.registry import Registry

    return sorted({sign for reader in Registry({}).all_readers for sign in reader.signs})


def partial_matches() -> list[str]:
    """Return, for each expression of accel, a text that it matches nearly: what is required of it, without its end."""
    from accel.text.pattern import Pattern

    forms = set()
    import pkgutil
    from importlib import import_module

    from accel.plugins.registry import Registry

    packages = [
        import_module("accel.facts.readers"),
        *(import_module(f"accel_{b.name}") for b in Registry({}).backends),
    ]
    for package in packages:
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if ".readers." in found.name:
                import_module(found.name)
    for module in [module for name, module in sys.modules.items() if name.startswith("accel")]:
        for value in vars(module).values():
            if isinstance(value, Pattern):
                forms.add((value.pattern, value.flags))
    return [text for form in sorted(forms) if len(text := _near(*form)) > 2]


def _near(form: str, flags: int) -> str:
    """Return a text that an expression matches but for its last part; each loop goes round twice."""
    if sys.version_info >= (3, 11):
        from re import _parser as parser
    else:
        import sre_parse as parser

    def written(items: object) -> Iterator[str]:
        for operation, argument in items:  # type: ignore[attr-defined]
            name = str(operation)
            if name == "LITERAL":
                yield chr(argument)
            elif name == "IN":
                yield _of_set(argument)
            elif name in ("ANY", "NOT_LITERAL"):
                yield "a"
            elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
                least, most, body = argument
                yield "".join(written(body)) * min(max(least, 2), int(most))
            elif name == "SUBPATTERN":
                yield "".join(written(argument[3]))
            elif name == "BRANCH":
                yield "".join(written(argument[1][0]))

    return "".join(list(written(parser.parse(form, flags)))[:-1])


def _of_set(items: object) -> str:
    """Return a character of a set."""
    for kind, value in items:  # type: ignore[attr-defined]
        if str(kind) == "NEGATE":
            return "a"
        if str(kind) == "LITERAL":
            return chr(value)
        if str(kind) == "RANGE":
            return chr(value[0])
        if str(kind) == "CATEGORY":
            return {"CATEGORY_SPACE": " ", "CATEGORY_DIGIT": "7"}.get(str(value), "a")
    return "a"
