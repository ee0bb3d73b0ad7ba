"""The nouns: everything accel knows about a machine is one immutable Snapshot of these records.

    Snapshot
      host          what every machine has: system, kernel, containers, memory
      environments  the Python environments seen: packages, frameworks, libraries, variables
      reports       what each backend learnt from each source: driver, devices, observations, gaps
    Diagnosis       what the checks make of a snapshot: findings, and what could not be decided

None always means "not known"; a Gap says why. Units are in the names. Sequences are tuples.
A vendor subclasses Device for what only its hardware has.

Import the records from their own modules (`from accel.model.device import Device`): a process that
lists devices then pays for those records alone.
"""
