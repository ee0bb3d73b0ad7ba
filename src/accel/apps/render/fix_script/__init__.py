"""The doctor's steps as one script, for the user to read and run: accel runs none of it.

steps.py        which steps, in which order, and who must do each
comments.py     the comments above each step: finding, reason, assumptions, alternatives
bash.py, powershell.py   the script itself
"""
