#!/usr/bin/env python3
"""Each header compiles alone and without warnings, in each language it is for.

  headers_test.py --source DIR --gen DIR --llvm DIR [UNITTEST OPTIONS]

C11 and C17 with gcc and clang: public headers, Support, generated headers.
C++17 with both: public headers, and whatever declares `extern "C"`.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import unittest

OPTIONS = argparse.Namespace()
C_STANDARDS = ("c11", "c17")
WARNINGS = ("-Wall", "-Wextra", "-Werror")


def compilers(language):
    """Paths of gcc and of LLVM's clang, for C or C++."""
    names = {"c": ("gcc", "clang"), "c++": ("g++", "clang++")}[language]
    found = [shutil.which(names[0]), str(OPTIONS.llvm / "bin" / names[1])]
    return [path for path in found if path and pathlib.Path(path).exists()]


def compile_text(compiler, standard, text):
    """Messages of the compiler; empty when it is content."""
    language = "c++" if standard.startswith("c++") else "c"
    command = [compiler, f"-std={standard}", "-x", language, "-fsyntax-only",
               *WARNINGS, "-I", OPTIONS.source / "include", "-I", OPTIONS.source / "lib",
               "-I", OPTIONS.gen,
               "-isystem", OPTIONS.llvm / "include", "-"]
    result = subprocess.run(command, input=text, capture_output=True,
                            text=True, check=False)
    return result.stderr if result.returncode or result.stderr else ""


def public_headers():
    """Headers for users of the libraries, as they are included."""
    folder = OPTIONS.source / "include"
    return sorted(str(path.relative_to(folder))
                  for path in (folder / "Tile").glob("*.h"))


def support_headers():
    """Headers for our own C code."""
    return sorted(str(path.relative_to(folder))
                  for folder in (OPTIONS.source / "include", OPTIONS.source / "lib")
                  for path in [*folder.glob("Tile/Support/*.h"),
                               *folder.glob("Support/*.h")])


def generated_headers():
    """Headers that the build writes."""
    return sorted(str(path.relative_to(OPTIONS.gen))
                  for path in [*OPTIONS.gen.glob("Tile/Ops/*.h"),
                               *OPTIONS.gen.glob("Tile*.h")])


def declares_extern_c(header):
    """Whether a header says that it is for C++ too."""
    for folder in (OPTIONS.source / "include", OPTIONS.source / "lib", OPTIONS.gen):
        path = folder / header
        if path.exists():
            return 'extern "C"' in path.read_text(encoding="utf-8")
    return False


class HeadersTest(unittest.TestCase):
    """Compiles every header in a translation unit of its own."""

    def check(self, language, standards, headers):
        """Includes each header twice, to try its guard as well."""
        self.assertTrue(headers)
        for compiler in compilers(language):
            for standard in standards:
                for header in headers:
                    text = f'#include "{header}"\n' * 2
                    with self.subTest(header, std=standard, by=compiler):
                        self.assertEqual(
                            compile_text(compiler, standard, text), "")

    def test_c(self):
        """All headers are C."""
        self.check("c", C_STANDARDS, public_headers() + support_headers()
                   + generated_headers())

    def test_cxx(self):
        """Public headers are C++ as well."""
        others = [header for header in support_headers() + generated_headers()
                  if declares_extern_c(header)]
        self.check("c++", ("c++17",), public_headers() + others)

    def test_all_bindings_together(self):
        """The dialects' headers do not collide."""
        text = "".join(f'#include "{header}"\n'
                       for header in reversed(generated_headers()))
        for compiler in compilers("c"):
            with self.subTest(by=compiler):
                self.assertEqual(compile_text(compiler, "c11", text), "")

    def test_warnings_are_seen(self):
        """The check itself notices what it is for."""
        for compiler in compilers("c"):
            with self.subTest(by=compiler):
                text = "static inline int f(int x) { int y; return 0; }\n"
                self.assertIn("unused",
                              compile_text(compiler, "c11", text))


def main():
    """Takes our options off the command line, leaves unittest's."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("source", "gen", "llvm"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    _, rest = parser.parse_known_args(namespace=OPTIONS)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
