"""The rules of inference for TPUs that need code. A Rule in a module of this folder is registered by existing."""
