"""What is measured on devices rather than read from them: programs in the user's Python, started and watched here."""
