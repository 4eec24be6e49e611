#!/usr/bin/env python3
"""Writes the manual page and the completions of a tool from what it prints for
--help and --version: DIR/man/man1/TOOL.1, DIR/bash-completion/completions/TOOL
and DIR/zsh/site-functions/_TOOL."""

import argparse
import os
import re
import subprocess

OPTION = re.compile(r"(?:^|[\s,])(--?[a-z][a-z-]*)(=?)", re.MULTILINE)


def said(tool, option):
    run = subprocess.run([tool, option], capture_output=True, text=True,
                         check=True)
    return run.stdout.rstrip("\n")


def roff(line):
    """Text as it is: no request, no escape, hyphens that can be copied."""
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + line if line.startswith((".", "'")) else line


def options_of(text):
    """Options, in the order of the help; those with a value end in `=`."""
    found = {}
    for line in text.splitlines():
        if line.startswith("  ") and line.strip().startswith("-"):
            for name, equals in OPTION.findall(line.split("  ")[1]):
                found.setdefault(name + equals, None)
    return list(found)


def page(name, text, version):
    head, _, rest = text.partition("\n\n")
    if head.startswith(name + " - "):  # a summary, then the forms
        summary = head[len(name) + 3:]
        usage, _, rest = rest.partition("\n\n")
    else:
        usage = head.replace("usage: ", "", 1)
        summary = re.split(r"\.\s", " ".join(rest.split()))[0]
    lines = ['.TH %s 1 "" "%s" "Tile"' % (name.upper(), version),
             ".SH NAME", "%s \\- %s" % (roff(name), roff(summary)),
             ".SH SYNOPSIS", ".nf"]
    lines += [roff(line) for line in usage.splitlines()]
    lines += [".fi", ".SH DESCRIPTION", ".nf"]
    lines += [roff(line) for line in rest.splitlines()]
    lines += [".fi", ".SH SEE ALSO",
              "tile\\-compile(1), tile\\-run(1), tile\\-emu\\-exec(1)"]
    return "\n".join(lines) + "\n"


def bash(name, options):
    """Options of the tool; else file names."""
    function = "_" + name.replace("-", "_")
    return """# Completion of %s for bash.
%s() {
  COMPREPLY=()
  if [[ ${COMP_WORDS[COMP_CWORD]} == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "%s" -- "${COMP_WORDS[COMP_CWORD]}")
    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
  fi
}
complete -o default -F %s %s
""" % (name, function, " ".join(options), function, name)


def zsh(name, options):
    specs = " ".join("'%s-[]:value:_files'" % o if o.endswith("=")
                     else "'%s[]'" % o for o in options)
    return "#compdef %s\n_arguments -S %s '*:file:_files'\n" % (name, specs)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool", help="path of the program")
    parser.add_argument("folder", metavar="DIR")
    options = parser.parse_args()
    name = os.path.basename(options.tool)
    text = said(options.tool, "--help")
    version = said(options.tool, "--version").splitlines()[0]
    names = options_of(text)
    write(os.path.join(options.folder, "man/man1", name + ".1"),
          page(name, text, version))
    write(os.path.join(options.folder, "bash-completion/completions", name),
          bash(name, names))
    write(os.path.join(options.folder, "zsh/site-functions", "_" + name),
          zsh(name, names))


main()
