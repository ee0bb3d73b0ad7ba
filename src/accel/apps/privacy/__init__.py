"""Data that leaves a machine only on request: names, addresses, secrets; and its redaction."""
