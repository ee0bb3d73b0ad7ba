"""The data model: everything that accel knows about a machine is one immutable Snapshot of these records.

    Snapshot
      host          the machine itself: system, kernel, containers, memory
      environments  the Python environments seen: packages, frameworks, libraries, variables
      reports       what each backend learned from each source: driver, devices, observations, gaps
    Diagnosis       what the checks conclude from a snapshot: findings, and what could not be decided

None always means "unknown"; a Gap says why. Units are part of the names. Sequences are tuples.
A vendor subclasses Device for facts that only its hardware has.

Import records from their own modules (`from accel.model.device import Device`), so that a process that only lists
devices loads nothing else.
"""
