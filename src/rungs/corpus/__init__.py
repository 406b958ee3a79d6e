"""From a public address to token files: download, tokenizer, split, and generated corpora."""
