#!/usr/bin/env python3
"""Writes the blocks of a page that have the name of a file, after a comment
`<!-- file: NAME -->`, into a folder: extract-blocks.py PAGE FOLDER."""

import os
import re
import sys

BLOCK = re.compile(r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", re.M | re.S)


def main():
    page, folder = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        blocks = BLOCK.findall(file.read())
    os.makedirs(folder, exist_ok=True)
    for name, text in blocks:
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    print("\n".join(name for name, _ in blocks))


if __name__ == "__main__":
    main()
