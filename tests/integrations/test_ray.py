"""Ray counts and hands out the devices of vendors that it has no manager for, by accel's."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import accel
from accel.apps import api

ray = pytest.importorskip("ray")
ray_accelerators = pytest.importorskip("ray_accelerators")


@pytest.fixture(autouse=True)
def _managers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    import ray._private.accelerators as known

    before = known.get_all_accelerator_managers
    monkeypatch.setenv("RAY_custom_unit_instance_resources", "")  # what registering sets goes with the test
    yield
    known.get_all_accelerator_managers = before
    vars(known.get_accelerator_manager_for_resource).pop("_resource_name_to_accelerator_manager", None)


@pytest.mark.parametrize("backend", ray_accelerators.VENDORS)
def test_a_vendor_that_ray_lacks_has_a_manager_with_its_mask(backend: str) -> None:
    from ray._private.accelerators import get_accelerator_manager_for_resource

    ray_accelerators.register(backend)
    found = get_accelerator_manager_for_resource(backend.upper())
    assert found.get_visible_accelerator_ids_env_var() == accel.mask_variable(backend)
    assert found.get_current_node_num_accelerators() == 0
    assert found.validate_resource_request_quantity(0.5) == (True, None)
    assert found.validate_resource_request_quantity(1.5)[0] is False


def test_managers_are_added_once() -> None:
    from ray._private.accelerators import get_all_accelerator_managers

    before = len(get_all_accelerator_managers())
    ray_accelerators.register("mthreads")
    ray_accelerators.register("mthreads", "hygon")
    import ray._private.accelerators as known

    assert len(known.get_all_accelerator_managers()) == before + 2


def test_ids_are_read_from_and_written_to_the_mask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MUSA_VISIBLE_DEVICES", raising=False)
    one = ray_accelerators.manager("mthreads")
    assert one.get_current_process_visible_accelerator_ids() is None
    monkeypatch.setenv("MUSA_VISIBLE_DEVICES", "2,3")
    assert one.get_current_process_visible_accelerator_ids() == ["2", "3"]
    one.set_current_process_visible_accelerator_ids(["3"])
    assert os.environ["MUSA_VISIBLE_DEVICES"] == "3"


@pytest.mark.slow
def test_ray_starts_on_a_simulated_node_and_gives_tasks_their_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    boards = tuple(
        accel.Device(
            id=f"mthreads:{n}", index=n, backend="mthreads", vendor="Moore Threads", kind="gpu", name="MTT S4000"
        )
        for n in range(8)
    )
    monkeypatch.setattr(api, "_devices", lambda isolate, timeout_seconds: boards)
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")  # it would write a token into the home folder
    ray_accelerators.register("mthreads")
    folder = str(Path(ray_accelerators.__file__).parent)
    environment = {"worker_process_setup_hook": ray_accelerators.register_all, "env_vars": {"PYTHONPATH": folder}}
    ray.init(num_cpus=2, include_dashboard=False, runtime_env=environment)
    try:
        assert ray.cluster_resources()["MTHREADS"] == 8

        @ray.remote(resources={"MTHREADS": 2})
        def mask() -> str | None:
            return os.environ.get("MUSA_VISIBLE_DEVICES")

        given = ray.get(mask.remote(), timeout=120)
        assert given is not None
        assert len(given.split(",")) == 2
    finally:
        ray.shutdown()
