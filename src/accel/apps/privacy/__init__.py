"""What leaves a machine only when asked for: names, addresses, secrets; and how they are taken out."""
