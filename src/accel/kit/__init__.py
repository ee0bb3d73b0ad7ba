"""The conformance kit: what a plugin promises, tried on recorded machines, and every broken promise named.

    subject       which plugin is tried, read from its distribution's metadata; none of its code is imported here
    child         a process of its own that does the trying: what hangs or crashes there costs one call
    trial, …      the calls made on each machine, in each situation (situations, faulty), under a watch
    evidence      what came of them, as records
    rules/        one promise a file: pure functions from the evidence to faults
    run           all of it; a Result says the level reached
    result_file   the Result as a file, beside the plugin or in the user's state folder
    pytest_plugin one test a rule, in the plugin's own tests

Used by  accel plugins check NAME.
"""
