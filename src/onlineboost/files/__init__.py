"""Files that appear whole or not at all."""

from onlineboost.files.atomic import remove_unfinished, unfinished, whole, whole_text, write

__all__ = ["remove_unfinished", "unfinished", "whole", "whole_text", "write"]
