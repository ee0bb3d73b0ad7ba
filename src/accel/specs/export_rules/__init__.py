"""Which export rules and technical limits apply to a chip on a given date. Pure; not legal advice.

three_valued   yes, no and undecided; numbers with known bounds
quantities     the quantities that the rules test, derived step by step from a chip's record
rules          the versions of the rules, from specs/restrictions/export_control.yaml
evaluate       which of them apply on a date, to a destination, and with what margin
technical      the limits in specs/restrictions/technical.yaml
"""
