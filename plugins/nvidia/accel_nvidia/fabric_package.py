"""The distribution's fabric manager package that matches a driver. Pure."""

from accel.vendors.contract.command import Word, requirement_word


def package_of(driver: str | None) -> Word | None:
    """Return the package with its version, in apt syntax; None if the driver's version is unknown.

    >>> package_of("535.86.10")
    'nvidia-fabricmanager-535=535.86.10-*'
    """
    branch = (driver or "").split(".")[0]
    return requirement_word(f"nvidia-fabricmanager-{branch}", driver, relation="=", any_build=True)
