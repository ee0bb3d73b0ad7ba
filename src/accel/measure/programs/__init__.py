"""Programs that run in the user's Python, with its frameworks: accel.measure.children starts them.

They import the standard library, each other, and what they measure; never accel, which that Python may lack. They are
compatible with Python 3.8. `accel.bench.timed` uses `timing` and `torch_device` in the user's own process.
"""
