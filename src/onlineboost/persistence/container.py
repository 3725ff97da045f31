"""The outer layer of a model file: named arrays and one JSON document, as a safetensors file.

Sizes are compared with the length of the file before anything of their size is read or made. Files are read by the
safetensors library, and written here, in its bytes: its writer gives the GIL back in Rust, where a daemon thread at the
end of the interpreter takes the process down.
"""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import safetensors

from onlineboost.persistence.errors import ModelFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

LARGEST_HEADER = 10_000_000
NAME = "onlineboost"  # of the document in the metadata: a single entry, since their order is not defined

_unpack: Callable[[bytes], list[tuple[str, dict[str, Any]]]] = safetensors.deserialize  # which is untyped
_TYPES = {"I64": "<i8", "F64": "<f8", "U8": "|u1"}  # in the order of a file


def pack(document: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> bytes:
    """The file's bytes: the same for the same document and arrays."""
    text = json.dumps(document, allow_nan=False, sort_keys=True, separators=(",", ":"))
    header: dict[str, Any] = {"__metadata__": {NAME: text}}
    parts, end = [], 0
    for name, kind, array in sorted(
        _typed(arrays), key=lambda found: (list(_TYPES).index(found[1]), found[0].encode())
    ):
        parts.append(array.tobytes())
        header[name] = {"dtype": kind, "shape": array.shape, "data_offsets": [end, end + len(parts[-1])]}
        end += len(parts[-1])
    packed = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    packed += b" " * (-len(packed) % 8)
    if len(packed) > LARGEST_HEADER:
        raise ValueError(f"extra is too large: with the parameters it may take {LARGEST_HEADER:,} bytes of JSON.")
    return b"".join([len(packed).to_bytes(8, "little"), packed, *parts])


def _typed(arrays: dict[str, NDArray[Any]]) -> Iterator[tuple[str, str, NDArray[Any]]]:
    """The arrays with their names and the format's names of their types."""
    for name, array in arrays.items():
        kind = next(kind for kind, dtype in _TYPES.items() if array.dtype.newbyteorder("<") == np.dtype(dtype))
        yield name, kind, array.astype(_TYPES[kind], copy=False)


def text_array(value: Any) -> NDArray[np.uint8]:
    """A list of scalars as an array: its JSON text."""
    return np.frombuffer(json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii"), np.uint8)


def array_text(array: NDArray[Any]) -> Any:
    """The way back."""
    if array.dtype != np.uint8 or array.ndim != 1:
        raise ModelFileError("Not a model file: a text is not an array of bytes.")
    return _parse(array.tobytes())


def require_regular(status: os.stat_result) -> None:
    """Refuse folders, pipes and devices."""
    if not stat.S_ISREG(status.st_mode):
        raise ModelFileError("Not a model file: a model is loaded from a regular file.")


def read(file: BinaryIO) -> bytes:
    """The content of an open file, after a look at whether its length is what its header says."""
    status = os.fstat(file.fileno())
    require_regular(status)
    first = file.read(8)
    header = file.read(_header_length(first, status.st_size))
    _check_length(_parse(header), len(first) + len(header), status.st_size)
    return first + header + file.read(status.st_size - len(first) - len(header))


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Document and arrays."""
    length = _header_length(data[:8], len(data))
    header = _parse(data[8 : 8 + length])
    _check_length(header, 8 + length, len(data))
    metadata = header.get("__metadata__")
    text = metadata.get(NAME) if isinstance(metadata, dict) else None
    if not isinstance(text, str):
        raise ModelFileError("Not a model of onlineboost: its header holds no description of one.")
    document = _parse(text)
    try:
        arrays = {name: _array(**parts) for name, parts in _unpack(data)}
    except (safetensors.SafetensorError, ValueError, TypeError, OverflowError) as error:
        raise ModelFileError(f"Not a model file: {error}.") from None
    if not isinstance(document, dict):
        raise ModelFileError("Not a model of onlineboost: its description is not a JSON object.")
    return document, arrays


def _header_length(first: bytes, size: int) -> int:
    length = int.from_bytes(first, "little")
    if len(first) < 8 or length > size - 8:
        raise ModelFileError(f"Not a model file, or cut short: {size:,} bytes are less than its header.")
    if length > LARGEST_HEADER:
        raise ModelFileError(f"Not a model file: a header has at most {LARGEST_HEADER:,} bytes.")
    return length


def _check_length(header: Any, start: int, size: int) -> None:
    """The header names all arrays with their places, so that it knows how long the file is."""
    if not isinstance(header, dict):
        raise ModelFileError("Not a model file: its header is not a JSON object.")
    end = 0
    for name, entry in header.items():
        if name != "__metadata__":
            offsets = entry.get("data_offsets") if isinstance(entry, dict) else None
            if not isinstance(offsets, list) or len(offsets) != 2 or not isinstance(offsets[1], int):
                raise ModelFileError("Not a model file: its header is damaged.")
            end = max(end, offsets[1])
    if start + end != size:
        raise ModelFileError(f"Damaged: the file has {size:,} bytes where its header wants {start + end:,}.")


def _parse(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"Not a model file: its JSON cannot be read ({error}).") from None


def _array(dtype: str, shape: list[int], data: bytes) -> NDArray[Any]:
    if dtype not in _TYPES:
        raise ModelFileError(f"Not a model of onlineboost: it has an array of type {dtype}.")
    array = np.frombuffer(data, _TYPES[dtype]).reshape(shape)
    return array.astype(array.dtype.newbyteorder("="), copy=False)
