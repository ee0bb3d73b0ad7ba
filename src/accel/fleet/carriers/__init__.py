"""Carriers take the probe to nodes and bring back what each says, or why it says nothing: SSH, Ray, Slurm."""
