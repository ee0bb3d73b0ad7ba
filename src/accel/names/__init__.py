"""What a product's name in a text means: one tokenizer, one index, and the readings of what people write."""
