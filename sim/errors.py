"""The root of all errors that are the user's to mend: bad input, broken files, full disks."""


class PrummyError(Exception):
    """Something a person can act on; the message says what is wrong, where, and what to do."""
