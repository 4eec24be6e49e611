//===- RunHelp.c - The help text of tile-run ------------------------------===//

#include "RunOptions.h"

// Parts, because C promises only 4095 characters in one literal.
static const char *const help_parts[] = {
    "tile-run - run a compiled kernel on the GPU, or on a CPU by emulation\n"
    "\n"
    "  tile-run FILE.json ARGUMENT... [OPTION...]   what tile-compile wrote\n"
    "  tile-run FILE.ptx --block=N ARGUMENT... [OPTION...]   PTX of any "
    "origin\n"
    "  tile-run --batch FILE   the commands that FILE lists, see below\n"
    "\n"
    "A GPU is used when the CUDA driver finds one; otherwise, or with "
    "--emulate,\n"
    "the PTX emulator executes the same PTX on the CPU. It also finds "
    "deadlocks,\n"
    "data races, uninitialised reads and accesses out of bounds.\n"
    "\n"
    "EXAMPLES\n"
    "  tile-run out/gemm.json ints:300x136:bf16 ints:136x200:bf16 \\\n"
    "      zeros:300x200:f32 --save 2=c.npy\n"
    "  tile-run out/axpy.json 2.5 x.npy y.npy --print 2\n"
    "  tile-run out/gemm.json normal:64x64:f16 normal:64x64:f16 \\\n"
    "      zeros:64x64:f32 --emulate --seeds=20\n"
    "  tile-run k.ptx --kernel=axpy --grid=4 --block=256 \\\n"
    "      i32:1000 f32:2.5 ones:1000:f32 ints:1000:f32 --print 3\n"
    "\n",
    "ARGUMENTS, in the order of the host function, or of the kernel's\n"
    "parameters for raw PTX; counted from 0\n"
    "  ints:SHAPE:TYPE[:SEED]    integers from -2 to 2 (0 to 2 if unsigned);\n"
    "                            sums of products of them are exact\n"
    "  normal:SHAPE:TYPE[:SEED]  normally distributed, deviation 1\n"
    "  zeros:SHAPE:TYPE  ones:SHAPE:TYPE\n"
    "  FILE.npy[:TYPE]           a NumPy array, converted to the type needed\n"
    "  same:ARG                  the memory of an earlier tensor argument\n"
    "  42  1.5  i32:42  f32:1.5  a number; raw PTX needs the type\n"
    "    SHAPE  300x136, outermost dimension first\n"
    "    TYPE  ",
    NULL, // the element types
    "    SEED   of the numbers; without it, 1 + the index of the argument\n"
    "  A tensor may be followed by @STRIDES+OFFSET, in elements:\n"
    "    @144      rows start every 144 elements\n"
    "    @1x300    stride of each dimension, here column by column\n"
    "    @+8       the first element is 8 elements after an aligned address\n"
    "    @144+8    both\n"
    "  The elements beside a strided tensor are checked to stay as they are.\n"
    "  Raw PTX only:\n"
    "    tensors are passed as pointers\n"
    "    mem:TENSOR  memory that is not a parameter itself, for a tensor map\n"
    "    tmap:ARG,DIMS,STRIDES,BOX,SWIZZLE  a TMA tensor map of an earlier\n"
    "                tensor; contiguous dimension first; STRIDES in bytes,\n"
    "                without the contiguous one; SWIZZLE 0, 32, 64 or 128 "
    "bytes;\n"
    "                for a row-major 300x136 bf16 tensor and boxes of 128x64:\n"
    "                tmap:0,136x300,272,64x128,128\n"
    "\n",
    "OPTIONS (--name=value or --name value)\n"
    "  --save ARG=FILE.npy      write an argument after the run; repeatable.\n"
    "                           What the function returns is numbered after\n"
    "                           the arguments. "
    "Floats of up to 32 bits\n"
    "                           become float32 (exact)\n"
    "  --print ARG              print an argument or a result after the run;\n"
    "                           repeatable\n"
    "  --verbose                print the device and every launch\n"
    "  --emulate                use the emulator even if there is a GPU\n"
    "  --gpu                    fail if there is no GPU\n"
    "  --sms=N                  multiprocessors that host code sees; emulator: "
    "132\n"
    "  --variant=N[,N...]       the variant of each launch, counted from 1; "
    "0 and\n"
    "                           after the last: the first that suits the\n"
    "                           arguments. Refused when it does not\n"
    "  --help, --version\n"
    "Emulator only:\n"
    "  --seed=N                 schedule of warps and of asynchronous copies;\n"
    "                           the same seed gives the same run (default 1)\n"
    "  --seeds=N                run N seeds, from --seed on; stop at the "
    "first\n"
    "                           failure and say its seed\n"
    "  --schedule=NAME          who runs next, when asynchronous work "
    "completes\n"
    "    mixed     both at random; half of the clusters by priority (default)\n"
    "    eager     work completes at once    lazy  only when all wait for it\n"
    "    random    the next warp is always a random one\n"
    "    priority  random priorities; a few times the running warp gets the\n"
    "              lowest: finds mistakes that need a long delay of one warp\n"
    "  --priority-changes=N     how often it gets the lowest (default 3)\n"
    "  --no-races               do not look for data races (faster)\n"
    "  --pedantic               report also what working code gets away with\n"
    "  --co-resident[=SMS]      run blocks at the same time, as many as fit "
    "on\n"
    "                           SMS multiprocessors (default: --sms); for "
    "kernels\n"
    "                           whose blocks wait for each other\n"
    "  --registers=N            registers of a thread at launch, for "
    "setmaxnreg;\n"
    "                           default: what ptxas makes of .maxnreg and\n"
    "                           .minnctapersm\n"
    "  --threads=N              host threads (default 1)\n"
    "  On a terminal, a line on stderr tells how far a run of more than a\n"
    "  second is.\n"
    "  --max-instructions=N     give up after N warp instructions per launch\n"
    "  --max-memory=MIB         refuse launches whose blocks need more at a "
    "time\n"
    "                           (default 4096)\n"
    "  --stats                  print instructions, products, bytes, bank "
    "conflicts,\n"
    "                           waits; in --report too\n"
    "  --profile=FILE.json      a trace for ui.perfetto.dev: when warps wait,\n"
    "                           copy and multiply, in executed instructions\n"
    "  --report=FILE.json       findings and counts as JSON; with --seeds, of\n"
    "                           the last run\n"
    "Raw PTX only:\n"
    "  --kernel=NAME            default: the only kernel of the file\n"
    "  --grid=X[,Y[,Z]]         blocks (default 1)\n"
    "  --block=X[,Y[,Z]]        threads per block; required\n"
    "  --cluster=X[,Y[,Z]]      blocks per cluster (default 1)\n"
    "  --smem=BYTES             dynamic shared memory per block (default 0)\n"
    "\n"
    "COMMANDS OF A FILE\n"
    "  An argument per line, without tile-run itself; an empty line ends a "
    "command.\n"
    "  A GPU is started once for all of them. After each command a line says "
    "its\n"
    "  number and exit code; the exit code is the largest.\n"
    "\n"
    "EXIT CODE\n"
    "  0  the kernel ran and nothing was found wrong\n"
    "  1  the command, a file or an argument is wrong; one line says what\n"
    "  2  the kernel failed: deadlock, race, bad access, write beside a "
    "tensor;\n"
    "     the report is on stderr\n",
};

// Floats on one line, integers on the next.
static void print_types(FILE *file) {
  for (int i = 0; i < TILE_NUM_DTYPES; i++) {
    bool is_break = i > 0 && tile_dtype_is_float((TileDtype)(i - 1)) &&
                    !tile_dtype_is_float((TileDtype)i);
    fprintf(file, "%s %s", is_break ? "\n          " : "",
            tile_dtype_name((TileDtype)i));
  }
  fputs("\n", file);
}

void run_help_print(FILE *file) {
  for (size_t i = 0; i < sizeof help_parts / sizeof help_parts[0]; i++)
    if (help_parts[i])
      fputs(help_parts[i], file);
    else
      print_types(file);
}
