"""What a vendor's plugin is written against (contract), and the tools that it is written with (toolkit)."""
