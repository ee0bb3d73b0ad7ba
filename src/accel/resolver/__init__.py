"""Find the release and build of a framework that fits a machine, why others do not, and the command to install it.

request.py     the requested packages: "torch==2.4.0+cu121", "jax[cuda12]"
target.py      the machine as the resolver sees it; what_if.py builds one from options
catalogue.py   packages, families of builds, companions: specs/frameworks/installers.yaml
candidates.py  every existing release and build
rules.py       one function per rule: None, or why a candidate is rejected; code.py: the GPU code in a build
choose.py      the best candidate with its companions; companions.py; upgrade.py: changes that would make more fit
command.py     the command line for pip, uv or conda
requirements_file.py   what a requirements or lock file pins

Everything here is pure: its only inputs are the spec database and the target. Import each name from its module:
checks load this package in every diagnosis, but need the resolver only if they have a remedy to compute.
"""
