#!/usr/bin/env python3
"""Checks that each message a user can get has a test, and that the pages
list them: docs/Diagnostics.md every error (written anew with -f),
docs/Remarks.md every code of a remark (by hand: it also says what helps).

Messages are the format strings of every function of the compiler that is
declared with __attribute__((format(printf, ...))), but for those that say by
their name that they print output: mlirx..., asm_..., put..., ...print. Codes of
remarks are literals of the form "tile-area/reason". Internal errors are left out, and so is memory that ran out.
With --all the layout algebra, the launcher and the tools are looked at as well;
the emulator is not: its findings have a page and tests of their own.

A message has a test when a test expects a piece of it: an expected-error or
expected-remark, a CHECK line, or a string of a unit test; a conversion such as
%d stands for any text. A piece must hold at least ten literal characters of the
message, or all it has; or it holds the whole message, as a reason in another."""

import collections
import os
import re
import sys

import project

COMPILER = re.compile(r"lib/(?!Emulator/|Launcher/|Layout/)")
ALL = re.compile(r"(lib|tools)/(?!Emulator/)")
DECLARED = re.compile(r"([\w\s*]*)\b(\w+)\s*\([^;{}]*?\.\.\.\s*\)\s*"
                      r"__attribute__\(\(format\(printf, (\d+),")
PRINTER = re.compile(r"^(mlirx|asm_|put)|print$|internal")
NO_TEST = re.compile(r"^internal error|out of memory|fits? in memory")
# The note of an error is a message as well.
NOTES = {"tile_emit_error_with_note": 2}
CODE = re.compile(r'"(tile-[\w-]+/[\w-]+)"')
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
CONVERSION = re.compile(r"%[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?"
                        r"(?:hh|h|ll|l|z|j|t)?[a-zA-Z]")
EXPECTED = re.compile(r"expected-(?:error|remark|warning|note)(?:-re)?"
                      r"[^{\n]*\{\{(.*?)\}\}\s*$")
CHECKED = re.compile(r"//\s*[A-Z][\w-]*(?:-NEXT|-SAME|-DAG)?:\s*(.*)$|"
                     r"#\s*[A-Z][\w-]*(?:-NEXT|-SAME|-DAG)?:\s*(.*)$")
PAGE = "docs/Diagnostics.md"
REMARKS = "docs/Remarks.md"
MIN_LITERAL = 10
ANY = None  # a conversion, among the characters of a message


def arguments(text, start):
    """The arguments of the call whose parenthesis is at `start`."""
    depth, i, begin, found = 0, start, start + 1, []
    while i < len(text):
        if text[i] == '"':
            i = STRING.match(text, i).end()
            continue
        depth += text[i] in "([{"
        depth -= text[i] in ")]}"
        if depth == 0 or (depth == 1 and text[i] == ","):
            found.append(text[begin:i])
            begin = i + 1
        if depth == 0:
            break
        i += 1
    return found


def unescape(text):
    return text.replace('\\"', '"').replace("\\n", " ").replace("\\\\", "\\")


def literals(argument):
    """The strings that an argument may be: adjacent literals are one, the arms
    of a conditional are two; the macros of <inttypes.h> are conversions."""
    argument = re.sub(r"\bPRI\w+\b", '"d"', argument)
    found, end = [], None
    for match in STRING.finditer(argument):
        piece = unescape(match.group(1))
        if end is not None and not argument[end:match.start()].strip():
            found[-1] += piece
        else:
            found.append(piece)
        end = match.end()
    return found


def emitters(text, is_header):
    """Maps functions that take a message to the index of its format."""
    return {name: int(index) - 1
            for words, name, index in DECLARED.findall(text)
            if is_header != ("static" in words.split())
            and not PRINTER.search(name)}


def messages(options, names):
    """Yields (file, line, format) of each message."""
    shared = {}
    for name in project.select(options, "lib/*.h", "include/*.h", "tools/*.h"):
        shared.update(emitters(project.read(options, name), True))
    for name in names:
        text = project.read(options, name)
        known = {**shared, **emitters(text, False)}
        calls = re.compile(r"\b(%s)\s*\(" % "|".join(known or ["$^"]))
        for match in calls.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            args = arguments(text, match.end() - 1)
            emitter = match.group(1)
            for i in {known[emitter], NOTES.get(emitter, known[emitter])}:
                for piece in literals(args[i]) if i < len(args) else ():
                    if not NO_TEST.search(piece):
                        yield name, line, emitter, piece


def sources(options):
    wanted = ALL if options.all else COMPILER
    return [name for name in project.select(options, "*.c")
            if wanted.match(name)]


def expectations(options):
    """The texts that tests expect, FileCheck patterns included."""
    result = set()
    for name in project.select(options, "test/*.mlir", "test/*.test",
                               "test/*.txt", "test/*.c", "test/*.py"):
        if name.startswith("test/utils/"):
            continue  # they plant messages
        for line in project.read(options, name).splitlines():
            match = EXPECTED.search(line) or CHECKED.search(line)
            if match:
                result.add(next(g for g in match.groups() if g is not None))
            elif name.endswith((".c", ".py")):
                result.update(unescape(s) for s in STRING.findall(line))
    return result


def tokens(format_text):
    """Characters of a message, with ANY for each conversion."""
    result, end = [], 0
    for match in CONVERSION.finditer(format_text.replace("%%", "\0")):
        result += format_text.replace("%%", "\0")[end:match.start()]
        result.append(ANY)
        end = match.end()
    result += format_text.replace("%%", "\0")[end:]
    return ["%" if t == "\0" else t for t in result]


def literal_overlap(message, expected):
    """How many literal characters of `message` stand in `expected`, when all of
    `expected` is a piece of some instance of the message; else 0."""
    # best[j]: literals matched when the next token of the message is j.
    best = dict.fromkeys(range(len(message) + 1), 0)
    for c in expected:
        after = {}
        for j, count in best.items():
            while j < len(message) and message[j] is ANY:
                after[j] = max(after.get(j, -1), count)  # c is part of it
                j += 1
            if j < len(message) and message[j] == c:
                after[j + 1] = max(after.get(j + 1, -1), count + 1)
        best = after
    return max(best.values(), default=0)


GRAM = 6  # characters by which a message finds the texts that may expect it


def grams(text):
    return {text[i:i + GRAM] for i in range(len(text) - GRAM + 1)}


def index_of(expected_texts):
    """Maps each run of GRAM characters to the pieces of expectations with it.
    A FileCheck pattern has {{regular expressions}} and [[variables]] between
    its pieces."""
    index = collections.defaultdict(set)
    for expected in expected_texts:
        for piece in re.split(r"\{\{.*?\}\}|\[\[.*?\]\]", expected):
            piece = re.sub(r"^.*?(error|remark|warning): ", "", piece).strip()
            piece = re.sub(r"^\[tile-[\w/-]+\] ", "", piece)
            for gram in grams(piece):
                index[gram].add(piece)
    return index


def is_covered(format_text, index):
    message = tokens(format_text)
    needed = min(MIN_LITERAL, sum(t is not ANY for t in message))
    pieces = "".join("\0" if t is ANY else t for t in message).split("\0")
    wanted = set().union(*map(grams, pieces))
    if not wanted:
        return True  # a frame for other messages, such as "%s: %s"
    shared = collections.Counter()  # runs that a piece has of the message
    for gram in wanted:
        shared.update(index.get(gram, ()))
    # A reason stands in the message that gives it.
    whole = re.compile(".*".join(map(re.escape, pieces)))
    return any(whole.search(piece) or
               literal_overlap(message, piece) >= needed
               for piece, _ in shared.most_common())


def page(found):
    """The text of docs/Diagnostics.md."""
    rows = {"| `%s` | %s |" % (text.replace("|", "\\|").strip(),
                               os.path.splitext(os.path.basename(name))[0])
            for name, _, emitter, text in found
            if emitter != "tile_emit_remark"
            and re.search(r"[a-z]{3}", CONVERSION.sub("", text))}
    return "\n".join([
        "# Diagnostics", "",
        "Every error that the compiler and the tools report, or the reason they "
        "give in it, and the source file it comes from. Conversions such as "
        "`%s` stand for the values in question. Written by "
        "`utils/check-diagnostics.py -f`; do not edit.", "",
        "| Text | From |", "|---|---|"] + sorted(rows)) + "\n"


def check_codes(options, expected):
    """Yields the codes of remarks without a test or a line in the page."""
    listed = ""
    if os.path.exists(os.path.join(options.root, REMARKS)):
        listed = project.read(options, REMARKS)
    for name in sources(options):
        for code in sorted(set(CODE.findall(project.read(options, name)))):
            if "`%s`" % code not in listed:
                yield "%s:1: %s does not list %s" % (name, REMARKS, code)
            if not any("[%s]" % code in text for text in expected):
                yield "%s:1: no test expects [%s]" % (name, code)


def main():
    parser = project.parser(__doc__)
    parser.add_argument("-f", "--fix", action="store_true",
                        help="write docs/Diagnostics.md")
    parser.add_argument("--all", action="store_true",
                        help="not only the compiler")
    options = parser.parse_args()
    options.files = []  # a test may stand anywhere, so always the whole tree
    is_all, options.all = options.all, True
    listed = page(messages(options, sources(options)))
    options.all = is_all
    found = messages(options, sources(options))
    expected = expectations(options)
    index = index_of(expected)
    violations = ["%s:%d: no test expects: %s" % (name, line, text)
                  for name, line, _, text in found
                  if not is_covered(text, index)]
    violations += check_codes(options, expected)
    path = os.path.join(options.root, PAGE)
    if options.fix:
        with open(path, "w", encoding="utf-8") as file:
            file.write(listed)
    elif not os.path.exists(path) or project.read(options, PAGE) != listed:
        violations.append("%s:1: stale; run utils/check-diagnostics.py -f" %
                          PAGE)
    return project.report(violations, "every message has a test, and is listed")


if __name__ == "__main__":
    sys.exit(main())
