"""What to do about a finding: one planner chooses and orders remedies, one renderer writes them for this machine.

actions.py       a remedy's command as typed actions, with what each changes and its effects
environment.py   where the commands will be typed: system, shell, installer, container, provider, rights
attempts.py      what was tried already, compared by effect
audit.py         whether what a command installs exists and fits here, according to the package tables
planner.py       which remedies are possible here, in which order, and who does what the reader may not do
render.py        actions in the form for this machine: shell, installer, distribution, container engine, notebook, image
verify.py        how to verify that the fault is gone
ticket.py        the text for whoever has to act

All of it is pure. Import each name from its file, so that a diagnosis without findings loads none of them.
"""
