"""The one exception a user is meant to read."""


class UserError(Exception):
    """Something outside the program is wrong: a file, an address, a configuration key.

    The message names it and says what to do. The command line prints the message without a
    traceback; any other exception is a defect of ours and keeps its traceback.
    """
