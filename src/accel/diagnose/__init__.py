"""From the outcomes of checks to one diagnosis: causes before symptoms, what is open, what to ask for."""
