"""Which devices a program should take, and the variables by which it is shown them alone."""
