"""What finished stages leave in ``.rungs``: their command, their code, the sizes of their files."""
