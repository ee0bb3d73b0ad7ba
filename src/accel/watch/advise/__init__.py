"""Why an accelerator is idle, or does less than it could: pure rules over what was watched."""
