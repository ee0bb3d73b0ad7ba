"""The rules of inference for AMD's GPUs that need code. A Rule in a module of this folder is registered by existing."""
