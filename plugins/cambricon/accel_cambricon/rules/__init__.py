"""Rules of inference, out of the statement. A Rule in a module here is used by existing."""
