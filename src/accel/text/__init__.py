"""What vendors' tools print alike, for readers of any plugin: drawn tables, "key : value" sections, amounts."""
