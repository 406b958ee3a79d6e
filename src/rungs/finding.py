"""An answer that a script has to notice."""


class Finding(Exception):  # noqa: N818 - not an error: an answer
    """What a stage was asked to look for, and found: status 1, as of ``diff`` on unequal files."""
