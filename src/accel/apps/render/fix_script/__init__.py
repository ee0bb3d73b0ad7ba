"""The doctor's steps as one script, to be read and run by somebody: accel runs none of it.

steps.py        which steps, in which order, and who must do each
comments.py     what stands above each: finding, why, what is assumed, what else would do
bash.py, powershell.py   the script itself
"""
