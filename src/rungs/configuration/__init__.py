"""What `config.yaml` may say, and which of it makes no sense together."""
