"""Bridges that present accel's devices in the forms that other tools know. Each one is loaded only when used.

accel.torch_device(d), accel.jax_device(d), accel.device_of(x)     to the frameworks' own devices, and back
from accel.apps.bridges import gputil as GPUtil                         GPUtil's API
from accel.apps.bridges import gpustat                                  gpustat's API
from accel.apps.bridges import pynvml                                   pynvml's API
variant_provider                                                   for installers of wheel variants (PEP 817)
conda_plugin                                                       for conda: __accel_cuda and similar
"""
