"""Rules of inference of NVIDIA's machines that need code: a Rule in a module here is registered automatically."""
