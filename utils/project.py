"""What the checks of this folder share: the files of the tree, and reporting.

Every check is a program `check-NAME [--root DIR] [FILES...]`. It prints one
line `path:line: text` per violation and exits 1 if there is any. Without FILES
it looks at the whole tree; --root checks another tree (its own tests do).
"""

import argparse
import fnmatch
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SKIPPED_DIRS = ("build*", "out", ".git", "__pycache__", "Output")


def parser(doc):
    """The command line that all checks have; `doc` is the module's text."""
    result = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("--root", default=ROOT, help="tree to check")
    result.add_argument("files", nargs="*", help="only these files")
    return result


def listed(root):
    """Files of the tree, relative, sorted. Files that git ignores are not in
    it; without git (a release archive, a test) build folders are left out."""
    if os.path.exists(os.path.join(root, ".git")):
        command = ["git", "-C", root, "ls-files", "-co", "--exclude-standard"]
        names = subprocess.run(command, check=True, capture_output=True,
                               text=True).stdout.splitlines()
        names = [n for n in names if os.path.isfile(os.path.join(root, n))]
        return sorted(set(names))
    names = []
    for folder, dirs, files in os.walk(root):
        dirs[:] = [d for d in dirs
                   if not any(fnmatch.fnmatch(d, s) for s in SKIPPED_DIRS)]
        names += [os.path.relpath(os.path.join(folder, f), root) for f in files]
    return sorted(names)


def select(options, *patterns):
    """Files under --root that match a pattern (`*` also matches `/`), cut down
    to FILES when any are given."""
    names = [n for n in listed(options.root)
             if any(fnmatch.fnmatch(n, p) for p in patterns)]
    if not options.files:
        return names
    wanted = {os.path.relpath(os.path.abspath(f), os.path.abspath(options.root))
              for f in options.files}
    return [n for n in names if n in wanted]


def read(options, name):
    with open(os.path.join(options.root, name), encoding="utf-8") as file:
        return file.read()


def tool_path(build):
    """PATH with the programs of a build tree in front."""
    folders = [os.path.join(os.path.abspath(build), name) for name in
               ("bin", "tools", "tools/tile-compile", "tools/tile-run")]
    return os.pathsep.join(folders + [os.environ["PATH"]])


def report(violations, rule):
    """Prints violations, then the rule they break. Returns the exit status."""
    for violation in violations:
        print(violation)
    if violations:
        print("%d violation(s) of: %s" % (len(violations), rule))
    return 1 if violations else 0
