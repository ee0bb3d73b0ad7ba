"""Devices over time: samples, the processes that use them, which are free, how they are connected, why they are
slow.
"""
