"""Which export rules and which technical limits apply to a chip, as of a day. Pure; not legal advice.

three_valued   yes, no and undecided; numbers known between bounds
quantities     what the rules look at, worked out from a chip's record step by step
rules          the versions of the rules, from specs/restrictions/export_control.yaml
evaluate       which of them apply on a day, to a destination, and with what margin
technical      the limits of specs/restrictions/technical.yaml
"""
