"""Sends tile-compile a signal while its assembler runs, and says what is left.

usage: interrupted.py SIGNAL FOLDER INPUT FAKE-PTXAS"""

import os
import signal
import subprocess
import sys
import time


def is_alive(pid):
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def main():
    name, folder, source, assembler = sys.argv[1:]
    started = os.path.join(folder, "started")
    out = os.path.join(folder, "out")
    environment = dict(os.environ, FAKE_MODE="hang", FAKE_STARTED=started)
    process = subprocess.Popen(
        ["tile-compile", source, "--target=sm_90a", "--ptxas=" + assembler,
         "-o", os.path.join(out, "deep")], env=environment,
        stderr=subprocess.STDOUT, stdout=subprocess.PIPE,
        # What runs in the background may ignore SIGINT, and its children too.
        preexec_fn=lambda: signal.signal(getattr(signal, name), signal.SIG_DFL)
        if name != "SIGKILL" else None)
    deadline = time.time() + 30
    while not os.path.exists(started) and time.time() < deadline:
        time.sleep(0.01)
    process.send_signal(getattr(signal, name))
    # An assembler that lives on would keep the pipe open.
    said = b"" if name == "SIGKILL" else process.communicate(timeout=30)[0]
    print("ended by", signal.Signals(-process.wait(timeout=30)).name)
    with open(started, encoding="ascii") as file:
        pid = int(file.read())
    print("assembler", "runs on" if is_alive(pid) else "is gone")
    if name == "SIGKILL":
        os.killpg(pid, signal.SIGKILL)
    print("said", said)
    left = [entry for _, folders, files in os.walk(out)
            for entry in folders + files]
    print("left", sorted(e for e in left if not e.endswith(".tmp")),
          "and" if any(e.endswith(".tmp") for e in left) else "without",
          "temporary files")
    os.remove(started)


main()
