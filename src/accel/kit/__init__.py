"""The conformance kit: tests a plugin's promises on recorded machines and reports every broken one.

    subject       the plugin under test, read from its distribution's metadata; none of its code is imported here
    child         the child process that runs the trials: a hang or crash there costs one call
    kit_run       the calls made on each machine, in each situation (situations, faulty), under a watch
    evidence      their results, as records
    requirements/ one promise per file: pure functions from the evidence to faults
    run           runs all of it; a Result has the level reached
    result_file   the Result as a file, next to the plugin or in the user's state folder
    pytest_plugin one test per rule, for the plugin's own test suite

Used by  accel plugins check NAME.
"""
