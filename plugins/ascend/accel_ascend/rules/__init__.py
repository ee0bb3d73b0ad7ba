"""Rules of inference of Ascend machines that need code. A Rule in a module of this folder is registered by existing."""
