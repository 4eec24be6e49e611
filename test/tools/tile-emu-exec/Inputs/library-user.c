//===- library-user.c - Calls run() of a library --------------------------===//
//
// Calls run() of static-runtime.c in a library: one that it was linked with, or
// the one named on its command line.
//
//===----------------------------------------------------------------------===//

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef LINKED
int run(void);
int main(void) { return run(); }
#else
int main(int argc, char **argv) {
  void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  int (*run)(void) = library ? (int (*)(void))dlsym(library, "run") : NULL;
  // The environment is there though a library of ours started before libc.
  printf("home: %s\n", getenv("FATBIN") ? "yes" : "no");
  return run ? run() : 9;
}
#endif
