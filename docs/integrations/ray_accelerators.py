"""Ray's accelerator managers for vendors that Ray has none for, over accel.

    from ray_accelerators import register
    register("mthreads", "cambricon", "hygon", "iluvatar", "kunlun")
    ray.init(runtime_env={"worker_process_setup_hook": register_all})

    @ray.remote(resources={"MTHREADS": 1})
    def train(): ...                      # MUSA_VISIBLE_DEVICES names its device

Ray 2.60 has no public way to add a manager: `register` adds to the list that its package `ray._private.accelerators`
returns. Each process that schedules or runs tasks has to do so, which is what the setup hook of workers is for; before
`ray.init` or `ray start`, which read the variable that it sets.
"""

import os
from typing import Any

import ray._private.accelerators as known
from ray._private.accelerators.accelerator import AcceleratorManager

import accel

VENDORS = ("mthreads", "cambricon", "hygon", "iluvatar", "kunlun")


def manager(backend: str) -> type[AcceleratorManager]:
    """Return a manager for a vendor's devices. Its resource is the backend's name in capitals: "MTHREADS"."""
    variable = accel.mask_variable(backend)

    def boards() -> list[accel.Device]:
        return [d for d in accel.accelerators() if d.backend == backend and d.parent is None]

    class Manager(AcceleratorManager):
        @staticmethod
        def get_resource_name() -> str:
            return backend.upper()

        @staticmethod
        def get_visible_accelerator_ids_env_var() -> str | None:
            return variable

        @staticmethod
        def get_current_node_num_accelerators() -> int:
            return len(boards())

        @staticmethod
        def get_current_node_accelerator_type() -> str | None:
            return next((board.name or board.architecture for board in boards()), None)

        @staticmethod
        def get_current_node_additional_resources() -> dict[str, float] | None:
            return None

        @staticmethod
        def validate_resource_request_quantity(quantity: float) -> tuple[bool, str | None]:
            if quantity > 1 and quantity != int(quantity):
                return False, f"{backend.upper()} is asked for as a part of one, or whole ones; {quantity} is neither."
            return True, None

        @staticmethod
        def get_current_process_visible_accelerator_ids() -> list[str] | None:
            masked = os.environ.get(variable) if variable else None
            return None if masked is None else [part for part in masked.split(",") if part]

        @staticmethod
        def set_current_process_visible_accelerator_ids(ids: list[str]) -> None:
            if variable:
                os.environ[variable] = ",".join(map(str, ids))

    Manager.__name__ = Manager.__qualname__ = f"{backend.capitalize()}AcceleratorManager"
    return Manager


def register(*backends: str) -> None:
    """Add managers for these vendors to this process's Ray; once each."""
    present: Any = known.get_all_accelerator_managers()
    taken = {one.get_resource_name() for one in present}
    more = {manager(backend) for backend in backends if backend.upper() not in taken}
    if more:
        every = {*present, *more}
        # Of these resources Ray counts single ones, with an id each, so that two tasks don't get the same device.
        counted = sorted({one.get_resource_name() for one in every} - {"GPU"})
        os.environ["RAY_custom_unit_instance_resources"] = ",".join(counted)  # noqa: SIM112  # Ray's spelling
        known.get_all_accelerator_managers = lambda: every
        if hasattr(known.get_accelerator_manager_for_resource, "_resource_name_to_accelerator_manager"):
            del known.get_accelerator_manager_for_resource._resource_name_to_accelerator_manager


def register_all() -> None:
    """Add every vendor that Ray lacks: a worker's setup hook."""
    register(*VENDORS)
