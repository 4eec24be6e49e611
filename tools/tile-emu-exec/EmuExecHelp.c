//===- EmuExecHelp.c - What tile-emu-exec says of itself ------------------===//

#include "EmuExecHelp.h"

#include <stdio.h>

void emu_exec_print_help(void) {
  fputs(
      "tile-emu-exec - run a CUDA program on a CPU, by emulation of its PTX\n"
      "\n"
      "  tile-emu-exec [OPTION...] PROGRAM [ARGUMENT...]\n"
      "\n"
      "The program must use the CUDA driver (libcuda.so.1) or the runtime "
      "API, and hold\n"
      "PTX of its kernels. A file that the runtime is linked into must not be "
      "stripped.\n"
      "What kernels do wrong is printed on stderr.\n"
      "\n"
      "  --device=h100|a100     what the program sees; h100 has compute "
      "capability 9.0\n"
      "  --sms=N                multiprocessors of the device\n"
      "  --co-resident          run as many blocks at the same time as the "
      "device has\n"
      "                         room for; cooperative launches always do\n"
      "  --seed=N               of the schedule; the same seed gives the same "
      "run\n"
      "  --seeds=N              run N times with other seeds, until one fails\n"
      "  --schedule=NAME        mixed, eager, lazy, random or priority\n"
      "  --priority-changes=N   of the schedule priority\n"
      "  --pedantic             also report what production code gets away "
      "with\n"
      "  --no-races             without race detection: faster\n"
      "  --threads=N            host threads over clusters\n"
      "  --max-instructions=N   of warps, for each launch\n"
      "  --report=FILE          findings as JSON, when the program ends\n"
      "  --profile=FILE         a trace for Perfetto, when the program ends\n"
      "  --stats                what kernels did, when the program ends\n"
      "  --verbose              a line for every launch\n"
      "  --help, --version\n"
      "\n"
      "exit status: that of the program; 2 when it is 0 and a kernel did "
      "something\n"
      "wrong; 1 for wrong options; 127 when the program cannot be started; "
      "128 + N\n"
      "when signal N ended it\n",
      stdout);
}
