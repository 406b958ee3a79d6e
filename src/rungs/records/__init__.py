"""What finished stages leave in ``.rungs``: their command, code and digests of files."""
