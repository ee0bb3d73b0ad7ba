"""Bridges out: accel's devices in the forms that other tools know. Nothing of this is loaded before it is asked for.

accel.torch_device(d), accel.jax_device(d), accel.device_of(x)     to the frameworks' own devices, and back
from accel.apps.bridges import gputil as GPUtil                         what GPUtil answers
from accel.apps.bridges import gpustat                                  what gpustat answers
from accel.apps.bridges import pynvml                                   what pynvml answers
variant_provider                                                   for installers of wheel variants (PEP 817)
conda_plugin                                                       for conda: __accel_cuda and its like
"""
