#!/usr/bin/env python3
"""odsgen: typed C bindings from ODS, over `llvm-tblgen --dump-json`.

  odsgen.py ops    DUMP --dialect D --out FILE   accessors and builders (.h)
  odsgen.py infer  DUMP --dialect D --out FILE   table of type inference (.inc)
  odsgen.py hooks  DUMP --out FILE               prototypes of our ops' hooks (.h)
  odsgen.py attrs  DUMP --out BASE               C API of our attributes and
                                                 types (BASE.h, BASE.cpp.inc)
  odsgen.py passes DUMP --out BASE               pass options and descriptors
                                                 (BASE.h, BASE.c)

A file whose text would not change is not written, so that nothing is rebuilt.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from gen_attrs import attrs_files
from gen_hooks import hooks_header
from gen_ops import inference_table, ops_header
from gen_passes import passes_files
from ods_records import Records
from ods_writer import write_if_changed


def main() -> None:
    """Parses the command line and writes the files of one mode."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    modes = ("ops", "infer", "hooks", "attrs", "passes")
    parser.add_argument("mode", choices=modes)
    parser.add_argument("dump", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--dialect")
    options = parser.parse_args()
    if options.mode in ("ops", "infer") and not options.dialect:
        parser.error(f"{options.mode} needs --dialect")

    records, out = Records.load(options.dump), options.out
    for suffix, text in _generate(options.mode, records, options.dialect, out.name):
        write_if_changed(out.with_name(out.name + suffix), text)


def _generate(
    mode: str, records: Records, dialect: str, base_name: str
) -> list[tuple[str, str]]:
    """Suffix to append to --out, and text, of every file of a mode."""
    if mode == "ops":
        return [("", ops_header(records, dialect))]
    if mode == "infer":
        return [("", inference_table(records, dialect))]
    if mode == "hooks":
        return [("", hooks_header(records))]
    if mode == "attrs":
        header, definitions = attrs_files(records, base_name)
        return [(".h", header), (".cpp.inc", definitions)]
    header, definitions = passes_files(records, base_name)
    return [(".h", header), (".c", definitions)]


if __name__ == "__main__":
    main()
