"""Streams read with the standard library, slowly, from the rules in docs/streams.md: the tests' oracle."""

import csv
import io
import itertools
import math
import re
from collections import Counter

MISSING = {"", "NA", "NaN", "nan", "null", "NULL"}


def stable_hash(data):
    """FNV-1a, 64 bits, then the finaliser of SplitMix64."""
    h = 0xCBF29CE484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 % 2**64
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    h = (h ^ h >> 27) * 0x94D049BB133111EB % 2**64
    return h ^ h >> 31


def bucket(text, bits):
    return stable_hash(text.encode()) >> (64 - bits)


def is_number(text):
    return re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity)", text, re.IGNORECASE) is not None


def label_of(text):
    if not is_number(text):
        return text
    value = float(text)
    return int(value) if value == int(value) else value


def kinds_of(rows, header, declared=None):
    """What the first rows decide."""
    kinds = dict(declared or {})
    for k, name in enumerate(header):
        cells = [row[k] for row in rows if row[k] not in MISSING and row[k] != "?"]
        if name not in kinds and cells:
            kinds[name] = "number" if all(map(is_number, cells)) else "category"
    return kinds


def features(cells, kinds):
    """A row's features, as the dict that learn_one would get."""
    found = {}
    for name, cell in cells.items():
        kind = kinds.get(name)
        if kind == "number" and (cell in MISSING or cell == "?"):
            found[name] = None
        elif cell in MISSING or kind is None:
            continue
        elif kind == "number":
            found[name] = found.get(name, 0.0) + float(cell)
        elif kind == "category":
            found[f"{name}={cell}"] = found.get(f"{name}={cell}", 0.0) + 1.0
        else:
            what, bits = kind.split(":")
            words = [
                word.decode().translate({k: k + 32 for k in range(65, 91)})
                for word in re.findall(rb"[0-9A-Za-z\x80-\xff]+", cell.encode())
            ]
            pairs = [" ".join(two) for two in itertools.pairwise(words)]
            keys = {"hash": [cell], "counts": words, "text": words + pairs}[what]
            counts = Counter(f"{name}#{bucket(key, int(bits))}" for key in keys)
            found |= {key: math.log(1 + count) if what == "text" else float(count) for key, count in counts.items()}
    return found


def read_csv(text, label="label", declared=None, separator=","):
    """(features, label) of each row of a well-formed CSV text."""
    header, *rows = [row for row in csv.reader(io.StringIO(text), delimiter=separator) if row]
    at = header.index(label)
    kinds = kinds_of(rows, [name for name in header if name != label] and header, declared)
    kinds.pop(label, None)
    made = []
    for row in rows:
        cells = {name: cell for name, cell in zip(header, row, strict=True) if name != label}
        made.append((features(cells, kinds), label_of(row[at])))
    return made


def read_vw(text):
    """(features, label, weight) of each line of well-formed VW text."""
    made = []
    for line in text.splitlines():
        head, *spaces = line.split("|")
        words = [word for word in head.split() if not word.startswith("'")]
        found = {}
        for space in spaces:
            name, scale = "", 1.0
            tokens = space.split()
            if tokens and not space[0].isspace():
                name, _, text_scale = tokens.pop(0).partition(":")
                scale = float(text_scale or 1)
            for token in tokens:
                feature, _, value = token.partition(":")
                key = f"{name}^{feature}" if name else feature
                found[key] = found.get(key, 0.0) + float(value or 1) * scale
        made.append((found, label_of(words[0]), float(words[1]) if len(words) > 1 else 1.0))
    assert all(math.isfinite(weight) for *_, weight in made)
    return made
