"""Acme's accelerators: a plugin that keeps every rule of the conformance kit. The bad ones are one edit away."""

from pathlib import Path

from accel.vendors.contract.hookspecs import hookimpl


@hookimpl
def accel_backend():
    from accel_acme.backend import AcmeBackend

    return AcmeBackend()


@hookimpl
def accel_readers():
    from accel_acme.reader import READER

    return [READER]


@hookimpl
def accel_checks():
    from accel_acme.checks import acme_hot, acme_no_driver

    return [acme_hot, acme_no_driver]


@hookimpl
def accel_specs():
    return str(Path(__file__).with_name("specs"))


@hookimpl
def accel_machines():
    return str(Path(__file__).with_name("machines"))
