"""What tests of the command line share."""

import pytest
from command_line import libsvm_lines


@pytest.fixture
def stream(tmp_path):
    """A file of 600 examples."""
    path = tmp_path / "s.libsvm"
    path.write_text("\n".join(libsvm_lines(600)) + "\n")
    return path
