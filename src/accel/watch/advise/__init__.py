"""Why an accelerator is idle or underused: pure rules over observations."""
