"""What to do about a finding: one planner chooses and orders remedies, one renderer writes them for this machine.

actions.py       a remedy's command as typed actions, with what each changes and its effects
environment.py   where the commands will be typed: system, shell, installer, container, provider, rights
attempts.py      what was tried already, compared by effect
audit.py         whether what a command installs exists here, and fits: by the tables of packages
planner.py       which remedies are possible here, in which order, and who does what the reader may not
render.py        actions as this machine takes them: shell, installer, distribution, container engine, notebook, image
verify.py        how to see that the fault is gone; ticket.py: the words for whoever has to act

All of it is pure. Each name is imported from its file: a diagnosis without findings loads none of it.
"""
