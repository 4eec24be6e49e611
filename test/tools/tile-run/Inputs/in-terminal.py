#!/usr/bin/env python3
"""Runs a command with a terminal as stderr and prints what it wrote there."""

import os
import pty
import subprocess
import sys

main_fd, terminal_fd = pty.openpty()
process = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL,
                           stderr=terminal_fd)
os.close(terminal_fd)
text = b""
while True:
    try:
        part = os.read(main_fd, 65536)
    except OSError:  # the other end was closed
        break
    if not part:
        break
    text += part
process.wait()
print(repr(text.decode()))
