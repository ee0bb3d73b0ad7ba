"""Carriers run the probe on nodes and return each node's answer, or why there is none: SSH, Ray, Slurm."""
