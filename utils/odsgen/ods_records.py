"""Read access to the records that `llvm-tblgen --dump-json` prints."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# A TableGen record, or a reference to one: JSON objects as they are.
Record = dict[str, Any]


class Records:
    """All records of one dump."""

    def __init__(self, all_records: dict[str, Any]) -> None:
        self._records = all_records
        self._instances: dict[str, list[str]] = all_records["!instanceof"]

    @classmethod
    def load(cls, path: Path) -> Records:
        """Reads a dump from a file."""
        with path.open(encoding="utf-8") as file:
            return cls(json.load(file))

    def __contains__(self, name: str) -> bool:
        return name in self._records

    def named(self, name: str) -> Record:
        """The record of a def."""
        record: Record = self._records[name]
        return record

    def resolve(self, reference: Record) -> Record:
        """The record that a field refers to."""
        return self.named(reference["def"])

    def instances(self, class_name: str) -> list[Record]:
        """The defs derived from a class, in the order of the source text."""
        found = [self.named(n) for n in self._instances.get(class_name, [])]
        return sorted(found, key=source_order)

    def dag(self, value: Record) -> Iterator[tuple[Record, str]]:
        """Arguments of a dag whose members are defs: (record, name or "")."""
        for reference, name in value["args"]:
            yield self.resolve(reference), name or ""


def is_a(record: Record, class_name: str) -> bool:
    """Whether a record derives from a TableGen class."""
    return class_name in record["!superclasses"]


def source_order(record: Record) -> tuple[str, int, str]:
    """Sort key: file, line and name of a def.

    `!locs` lists where a def was instantiated, as "File.td:line"; the last
    entry is the outermost one.
    """
    file, _, line = record["!locs"][-1].rpartition(":")
    return file, int(line), record["!name"]
