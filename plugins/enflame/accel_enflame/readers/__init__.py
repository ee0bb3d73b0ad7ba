"""What efsmi prints, one format a file. A file in this folder with a `READER` is registered by existing."""
