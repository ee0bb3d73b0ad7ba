"""Helpers for output formats that vendors' tools share: drawn tables, "key : value" sections, amounts.

Readers of any plugin may use them.
"""
