"""Which devices a program should use, and the environment variables that restrict it to them."""
