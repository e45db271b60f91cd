"""An error that the user can do something about. Its text says what."""


class Failure(Exception):
    pass
