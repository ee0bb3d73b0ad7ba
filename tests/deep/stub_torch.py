"""A torch of one file that has no kernels: it knows the right answers. The test appends how it is broken."""

import sys
from types import SimpleNamespace as _Names

__version__ = "9.9+stub"
float64, float32, float16, bfloat16, int8 = "float64", "float32", "float16", "bfloat16", "int8"
version = _Names(cuda=None, hip=None)


def _inputs():
    return sys.modules["accel_programs.deep_inputs"]


class Tensor:
    def __init__(self, values, dtype=None):
        self.values, self.dtype = values, dtype

    def to(self, *given):
        return Tensor(self.values, next((one for one in given if one != "cpu"), self.dtype))

    def tolist(self):
        return self.values


def tensor(values, dtype=None, device="cpu"):
    return Tensor(values, dtype)


def matmul(a, b):
    return Tensor(_inputs().matrices()[2])


def _int_mm(a, b):
    return matmul(a, b)


nn = _Names(functional=_Names(conv2d=lambda image, filters: Tensor(_inputs().images()[2])))
fft = _Names(fft=lambda wave: Tensor(_inputs().signal()[1]))
linalg = _Names(solve=lambda a, b: Tensor(_inputs().equations()[2]))
distributed = _Names(is_available=lambda: False)
sys.modules["torch.distributed"] = distributed
