"""Which release and build of a framework fits a machine, why the others do not, and the command that installs it.

request.py     what is asked for: "torch==2.4.0+cu121", "jax[cuda12]"
target.py      the machine as the resolver sees it; what_if.py makes one from options
catalogue.py   packages, families of builds, companions: specs/frameworks/installers.yaml
candidates.py  every release and build that there is
rules.py       one function per rule: None, or why a candidate is out; code.py: the GPU code in a build
choose.py      the best candidate with its companions; companions.py; upgrade.py: what would make more fit
command.py     the line for pip, uv or conda
requirements_file.py   what a requirements or lock file pins

All of it is pure: it knows the spec database and the target, and touches nothing. Each name is imported from its file:
a check that might have a remedy loads this package in every diagnosis, and the resolver only where there is one.
"""
