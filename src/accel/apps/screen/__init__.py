"""`accel top`: devices and who holds them, on a whole terminal. What is shown is made without Textual, by pure code."""
