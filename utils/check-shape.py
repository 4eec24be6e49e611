#!/usr/bin/env python3
"""Checks the shape of the code as its object files show it: files are ideas
with narrow entries, not pieces of a length.

share   A function with one using file was cut out of that file, or the two are
        one idea. Of the functions that other files use, fewer than 20 % may be
        such, and fewer than 30 % in a folder of more than 5 files. One per file
        is its entry and free. Not counted: hooks (MLIR or generated code calls
        them), what public headers declare, what generated bindings are made
        of, the CUDA names that the drop-in exports, what the linker puts in
        place of a function (__wrap_), and functions that only tables name.
circle  No more than two files use each other in a circle, but through tables.
up      No file uses a symbol of a higher layer (layers.py).
own     A function of a header is used in another file: what only its own file
        uses is static, what only tests use is none of the library. Tests may
        use parts of what the library uses.

What is not so yet stands in check-shape.allow, which only shrinks: an entry
that is not needed any more is a violation, too. --table prints the shares,
--single the functions with one user."""

import collections
import os
import re
import sys

import layers
import objects
import project

MAX_SHARE, MAX_FOLDER_SHARE, SMALL_FOLDER = 20, 30, 5
MAX_CIRCLE = 2
# Names of functions that CUDA programs and LLVM call.
FOREIGN = re.compile(r"_*cu(da)?[A-Z]|LLVM[A-Z]|__wrap_")
CODE = "lib/", "tools/"
# Inline functions that generated bindings call; which of them depends on what
# passes ask of ops today.
BINDINGS = "lib/Support/Build.h"


class Shape:
    def __init__(self, options, build):
        self.options = options
        self.found = objects.sources(options.root, build, *CODE)
        self.in_tests = set()
        for source in objects.sources(options.root, build, "test/",
                                      "fuzz/").values():
            self.in_tests |= source.calls | source.tables
        self.in_tables = set()
        for source in self.found.values():
            self.in_tables |= source.tables
        self.homes = objects.homes(self.found)
        self.public = self.public_names(options)
        self.users = collections.defaultdict(set)
        for source in self.found.values():
            for name in source.calls:
                self.users[name].add(source.path)

    @staticmethod
    def public_names(options):
        names = set()
        for header in project.select(options, "include/*.h"):
            names |= set(re.findall(r"\b(\w+)\(", project.read(options, header)))
        for header in project.select(options, BINDINGS):
            names |= set(re.findall(r"\b(mlirx\w+)\(",
                                    project.read(options, header)))
        return names

    def is_named_again(self, path, name):
        """Whether the file that defines the function uses it; what is inlined
        leaves no trace in the object."""
        text = project.read(self.options, path)
        return len(re.findall(r"\b%s\(" % re.escape(name), text)) > 1

    def edges(self, with_tables):
        """{file: {file: symbols}}"""
        result = {path: collections.defaultdict(list) for path in self.found}
        for source in self.found.values():
            for name in sorted(source.calls |
                               (source.tables if with_tables else set())):
                home = self.homes.get(name, source.path)
                if home != source.path:
                    result[source.path][home].append(name)
        return result

    def is_exempt(self, name, users):
        return (name in self.public or bool(FOREIGN.match(name)) or
                any(layers.layer_of(user) in (None, "Bridge", "Plugin")
                    for user in users))

    def shared(self):
        """Yields (file, function, using files) of what counts."""
        for path in sorted(self.found):
            for name in sorted(self.found[path].functions):
                users = self.users[name] - {path}
                if not path.startswith("generated/") and users and \
                        not self.is_exempt(name, users):
                    yield path, name, users


def single_users(shape):
    """[(file, function, using file)] of functions with one user, less the
    entry of each file."""
    singles, with_entry = [], set()
    for path, name, users in shape.shared():
        if len(users) == 1 and path in with_entry:
            singles.append((path, name, min(users)))
        elif len(users) == 1:
            with_entry.add(path)
    return singles


def shares(shape):
    """{folder: (files, shared functions, those with one user)}, and for "."."""
    files, shared, single = (collections.Counter() for _ in range(3))
    for path in shape.found:
        if not path.startswith("generated/"):
            for folder in (os.path.dirname(path), "."):
                files[folder] += 1
    for counter, paths in ((shared, [row[0] for row in shape.shared()]),
                           (single, [row[0] for row in single_users(shape)])):
        for path in paths:
            for folder in (os.path.dirname(path), "."):
                counter[folder] += 1
    return {f: (files[f], shared[f], single[f]) for f in sorted(files)}


def circles(edges):
    """Groups of files that use each other, each sorted (Tarjan)."""
    index, low, stack, result = {}, {}, [], []

    def visit(path):
        index[path] = low[path] = len(index)
        stack.append(path)
        for other in sorted(edges[path]):
            if other not in index:
                visit(other)
            if other in stack:
                low[path] = min(low[path], low[other])
        if low[path] == index[path]:
            at = stack.index(path)
            result.append(sorted(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10000)
    for path in sorted(edges):
        if path not in index:
            visit(path)
    return [group for group in result if len(group) > MAX_CIRCLE]


class Allowed:
    """The entries of check-shape.allow: `share FOLDER PERCENT`,
    `circle FOLDER FILES`, `up FROM TO` and `own FOLDER FUNCTION`."""

    def __init__(self, path):
        self.entries = {}
        if not os.path.exists(path):
            return
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip() and not line.startswith("#"):
                    kind, what, limit = line.split()
                    self.entries[kind, what, limit] = number
        self.needed = set()

    def covers(self, kind, is_covered):
        """Whether an entry of the kind covers something, by
        is_covered(folder, limit), which says None where it does not speak of
        it."""
        result = False
        for entry in self.entries:
            answer = is_covered(*entry[1:]) if entry[0] == kind else None
            if answer is not None:
                self.needed.add(entry)
                result = result or answer
        return result

    def stale(self):
        for entry, number in self.entries.items():
            if entry not in self.needed:
                yield "check-shape.allow:%d: is not needed any more: %s" % (
                    number, " ".join(entry))


def check_shares(shape, allowed):
    for folder, (files, shared, single) in shares(shape).items():
        limit = MAX_SHARE if folder == "." else MAX_FOLDER_SHARE
        if not shared or (folder != "." and files <= SMALL_FOLDER) or \
                100 * single < limit * shared:
            continue
        percent = 100 * single // shared
        if not allowed.covers(
                "share", lambda what, most, folder=folder, percent=percent:
                percent <= int(most) if what == folder else None):
            yield "%s: %d of %d shared functions have one using file, %d %%" % (
                folder, single, shared, percent)


def check_circles(shape, allowed):
    for group in circles(shape.edges(with_tables=False)):
        folder = os.path.commonpath(group)
        if not allowed.covers(
                "circle", lambda what, most, folder=folder, group=group:
                len(group) <= int(most) if what == folder else None):
            yield "%s: a circle of %d files: %s" % (folder, len(group),
                                                    " ".join(group))


def check_own(shape, allowed):
    for path, source in sorted(shape.found.items()):
        if not path.startswith(CODE):
            continue
        for name in sorted(source.functions):
            is_used = shape.is_named_again(path, name)
            if shape.users[name] - {path} or name in shape.in_tables or \
                    name in shape.public or FOREIGN.match(name) or \
                    (path.startswith("lib/Bridge/") and
                     not name.startswith("mlirx")) or \
                    (is_used and name in shape.in_tests) or name == "main":
                continue
            if not allowed.covers(
                    "own", lambda what, own, path=path, name=name:
                    path.startswith(what) and name == own or None):
                yield "%s: %s is used by %s" % (
                    path, name, "its own file only: make it static" if is_used
                    else "tests only" if name in shape.in_tests else "nobody")


def check_up(shape, allowed):
    for path, targets in sorted(shape.edges(with_tables=True).items()):
        layer = layers.layer_of(path)
        for target, names in sorted(targets.items()):
            other = layers.layer_of(target)
            if not layer or not other or other in layers.MAY_SEE[layer]:
                continue
            if not allowed.covers(
                    "up", lambda a, b, path=path, target=target:
                    path.startswith(a) and target.startswith(b) or None):
                yield "%s: uses %s of %s (layer %s of %s)" % (
                    path, ", ".join(names[:3]), target, other, layer)


def print_table(shape):
    print("%-40s%7s%8s%10s" % ("folder", "files", "shared", "one user"))
    for folder, (files, shared, single) in shares(shape).items():
        print("%-40s%7d%8d%8d %2d%%" % (folder, files, shared, single,
                                        100 * single // max(shared, 1)))


def main():
    parser = project.parser(__doc__)
    parser.add_argument("--build", help="build tree; default: build/")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--single", action="store_true")
    options = parser.parse_args()
    build = options.build or os.path.join(options.root, "build")
    shape = Shape(options, build)
    if not shape.homes:
        sys.exit("check-shape: no object files in %s; build first" % build)
    if options.table:
        print_table(shape)
    if options.single:
        for row in single_users(shape):
            print("%s: %s only for %s" % row)
    if options.table or options.single:
        return 0
    allowed = Allowed(os.path.join(options.root, "utils",
                                   "check-shape.allow"))
    violations = [*check_shares(shape, allowed), *check_circles(shape, allowed),
                  *check_up(shape, allowed), *check_own(shape, allowed)]
    return project.report(violations + list(allowed.stale()),
                          "shape (CONTRIBUTING.md, Size and shape)")


if __name__ == "__main__":
    sys.exit(main())
