//===- dialect-kernel-test.c - What holds for a kernel as a whole ---------===//
//
// Each case is a module with one kernel, and the error that tile_kernel_verify
// reports for it, or none.
//
//===----------------------------------------------------------------------===//

#include "Dialect/Ops.h"
#include "Tile/Dialect/Dialect.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/gpu.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/RegisterEverything.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

//===-- Texts -------------------------------------------------------------===//

#define TILE_OP                                                                \
  "%s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>\n"

// A launch of %x threads whose body is `body`.
#define LAUNCH(x, body)                                                        \
  "func.func @f(%n: index) {\n"                                                \
  "  %one = arith.constant 1 : index\n"                                        \
  "  %x = arith.constant " x " : index\n"                                      \
  "  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %one, %gz = %one)\n" \
  "      threads(%tx, %ty, %tz) in (%nx = %x, %ny = %one, %nz = %one) {\n"     \
  "    " body "\n"                                                             \
  "    gpu.terminator\n"                                                       \
  "  }\n"                                                                      \
  "  return\n"                                                                 \
  "}\n"

// A gpu.func with the given attributes.
#define KERNEL(attributes, body)                                               \
  "gpu.module @m { gpu.func @f() kernel " attributes " {\n" body               \
  "gpu.return } }\n"

// Somebody uses %t.
#define USE "%u = arith.addi %t, %t : index\n"

#define MULTIPLE(got)                                                          \
  "expects a positive multiple of 32 threads per block, at most 1024, "        \
  "got " got

#define EXTENT(most, dim, got)                                                 \
  "expects 1 to " most " threads per block in " dim ", got " got

typedef struct {
  const char *name;
  const char *text;
  const char *error; // a part of the message; NULL: none
} Case;

static const Case cases[] = {
    {"constant", LAUNCH("128", TILE_OP), NULL},
    {"block ids may be used",
     LAUNCH("128", TILE_OP "%y = arith.addi %bx, %gx : index"), NULL},
    {"no multiple of a warp", LAUNCH("100", TILE_OP), MULTIPLE("100")},
    {"none", LAUNCH("0", TILE_OP), EXTENT("1024", "x", "0")},
    {"too many", LAUNCH("1056", TILE_OP), EXTENT("1024", "x", "1056")},
    {"negative", LAUNCH("-32", TILE_OP), EXTENT("1024", "x", "-32")},
    {"no tile op", LAUNCH("100", "%t = gpu.thread_id x"), NULL},
    {"not constant",
     "func.func @f(%n: index) {\n"
     "  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)\n"
     "      threads(%tx, %ty, %tz) in (%nx = %n, %ny = %n, %nz = %n) {\n"
     "    " TILE_OP "    gpu.terminator\n  }\n  return\n}\n",
     "expects a constant number of threads per block beside tile ops"},
    {"thread id op", LAUNCH("128", TILE_OP "%t = gpu.thread_id x\n" USE), NULL},
    {"unused thread id op, as outlining makes it",
     LAUNCH("128", TILE_OP "%t = gpu.thread_id x"), NULL},
    {"thread id op in a loop",
     LAUNCH("128", "scf.for %k = %n to %n step %n {\n" TILE_OP
                   "%t = gpu.thread_id x\n" USE "}"),
     NULL},
    {"block size op", LAUNCH("128", TILE_OP "%t = gpu.block_dim y\n" USE),
     NULL},
    {"lane", LAUNCH("128", TILE_OP "%t = gpu.lane_id\n" USE), NULL},
    {"thread id of the launch",
     LAUNCH("128", TILE_OP "%y = arith.addi %ty, %ty : index"), NULL},
    {"block size of the launch",
     LAUNCH("128", TILE_OP "%y = arith.addi %nz, %nz : index"), NULL},
    {"kernel in a kernel",
     LAUNCH("128", TILE_OP
            "gpu.launch blocks(%a, %b, %c) in (%d = %one, %e = %one, %f = %one)"
            " threads(%g, %h, %i) in (%j = %one, %k = %one, %l = %one) {\n"
            "gpu.terminator }"),
     "expects to be outside kernels"},
    {"gpu.func",
     KERNEL("attributes {known_block_size = array<i32: 64, 2, 1>}", TILE_OP),
     NULL},
    {"gpu.func of unknown size", KERNEL("", TILE_OP),
     "expects a constant number of threads per block beside tile ops"},
    {"gpu.func, no multiple",
     KERNEL("attributes {known_block_size = array<i32: 7, 1, 1>}", TILE_OP),
     MULTIPLE("7")},
    {"gpu.func, too many together",
     KERNEL("attributes {known_block_size = array<i32: 1024, 1024, 64>}",
            TILE_OP),
     MULTIPLE("67108864")},
    {"gpu.func, deeper than a block",
     KERNEL("attributes {known_block_size = array<i32: 1, 1, 128>}", TILE_OP),
     EXTENT("64", "z", "128")},
    {"gpu.func, negative",
     KERNEL("attributes {known_block_size = array<i32: 32, -1, -1>}", TILE_OP),
     EXTENT("1024", "y", "-1")},
    {"func.func",
     "func.func @f() attributes {tile.num_threads = 256 : i64} {\n" TILE_OP
     "return }",
     NULL},
};
enum { NUM_CASES = sizeof cases / sizeof cases[0] };

//===-- Run ---------------------------------------------------------------===//

typedef struct {
  char error[512]; // the last message
  int num_errors;
} Messages;

static void append(MlirStringRef piece, void *user_data) {
  Messages *messages = user_data;
  size_t length = strlen(messages->error);
  for (size_t i = 0; i < piece.length; i++)
    if (length + 1 < sizeof messages->error)
      messages->error[length++] = piece.data[i];
  messages->error[length] = '\0';
}

static MlirLogicalResult note(MlirDiagnostic diagnostic, void *user_data) {
  Messages *messages = user_data;
  messages->error[0] = '\0';
  messages->num_errors++;
  mlirDiagnosticPrint(diagnostic, append, messages);
  return mlirLogicalResultSuccess();
}

typedef struct {
  int num_kernels;
  MlirLogicalResult result; // of the outermost kernel
} Run;

static MlirWalkResult verify_kernel(MlirOperation op, void *user_data) {
  Run *run = user_data;
  bool is_func_kernel =
      func_func_is(op) &&
      !mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
          op, TILE_STR("tile.num_threads")));
  if (!gpu_launch_is(op) && !gpu_func_is(op) && !is_func_kernel)
    return MlirWalkResultAdvance;
  run->num_kernels++;
  run->result = tile_kernel_verify(op);
  return MlirWalkResultSkip;
}

static void run_case(MlirContext context, const Case *c) {
  MlirModule module = mlirModuleCreateParse(context, tile_str(c->text));
  if (mlirModuleIsNull(module))
    fail_msg("%s: cannot be parsed", c->name);
  Messages messages = {{0}, 0};
  MlirDiagnosticHandlerID handler =
      mlirContextAttachDiagnosticHandler(context, note, &messages, NULL);
  Run run = {0};
  mlirOperationWalk(mlirModuleGetOperation(module), verify_kernel, &run,
                    MlirWalkPreOrder);
  mlirContextDetachDiagnosticHandler(context, handler);
  mlirModuleDestroy(module);
  if (run.num_kernels != 1)
    fail_msg("%s: %d kernels", c->name, run.num_kernels);
  bool succeeded = mlirLogicalResultIsSuccess(run.result);
  if (succeeded != !c->error || messages.num_errors != !succeeded ||
      (c->error && !strstr(messages.error, c->error)))
    fail_msg("%s: expected %s, got %d errors: %s", c->name,
             c->error ? c->error : "no error", messages.num_errors,
             messages.error);
}

static void test_kernels(void **state) {
  (void)state;
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__tile__(), registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  for (int i = 0; i < NUM_CASES; i++)
    run_case(context, &cases[i]);
  mlirContextDestroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
