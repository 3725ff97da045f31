"""What a file that cannot be a model is answered with."""


class ModelFileError(ValueError):
    """The bytes are not a model file, or one that is damaged; the message says what is wrong with them."""
