//===- TileTarget.c - What each chip can do -------------------------------===//
//
// Sources of the table:
//   [CC]  CUDA C++ Programming Guide 13.0, "Compute Capabilities", tables
//         "Feature Support" and "Technical Specifications".
//   [PTX] PTX ISA 9.0, "Target ISA Notes" of the instruction.
//   [WP]  White papers of the architectures: full products with this chip,
//   their
//         rates: dense products of 16-bit factors with sums in f32 and memory.
//         A multiprocessor gets 64 bytes a cycle from the second-level cache.
//   [LLVM] llvm/lib/Target/NVPTX/NVPTX.td of LLVM 22: oldest PTX version that a
//         chip may be combined with.
//
// Shared memory per block is the opt-in maximum of [CC]; each resident block
// takes another 1 KiB [CC, "reserved shared memory per thread block"], so that
// two blocks fit when 2 * (dynamic + 1 KiB) is at most what the
// multiprocessor has.
//
//===----------------------------------------------------------------------===//

#include "Target.h"

#include "Support/Build.h"
#include "Support/Diagnostics.h"
#include <string.h>

//===-- The table ---------------------------------------------------------===//

#define KIB(n) ((int64_t)(n) * 1024)

// [CC] The same on every chip of the table.
#define LIMITS_OF_ALL                                                          \
  .reserved_smem_bytes = KIB(1), .sm_registers = 65536,                        \
  .max_thread_registers = 255, .max_block_threads = 1024

// [PTX] cp.async, ldmatrix (sm_75), redux.sync, mma.sync of f16, bf16, tf32, s8
// and mma.sp.sync need sm_80. The shapes are m16n8 with 32 bytes of k for every
// operand width: k16 for f16 and bf16, k8 for tf32, k32 for 8 bits.
#define AMPERE .has_redux = true, .mma = {.m = 16, .n = 8, .k_bytes = 32}

// [PTX] stmatrix, mbarrier.try_wait, cp.async.bulk, elect.sync, atom.add.bf16,
// cvt.rn.bf16 of integers, red of vectors, mma.m16n8k* of f64 and
// griddepcontrol need sm_90. Clusters of 8 blocks are portable [CC].
#define HOPPER                                                                 \
  AMPERE, .has_f8 = true, .has_stmatrix = true, .has_tma = true,               \
      .has_bf16_atomic = true, .has_bf16_of_int = true,                        \
      .has_vector_red = true, .has_dependent_launch = true,                    \
      .has_mma_f64_16 = true, .max_cluster_blocks = 8

static const TileTarget targets[] = {
    {.chip = "sm_80",
     .ptx_features = "+ptx80", // [LLVM] 7.0
     .max_smem_bytes = KIB(163),
     .sm_smem_bytes = KIB(164),
     .max_sm_threads = 2048,
     .max_sm_blocks = 32,
     .num_sms = 108, // [WP]
     .clock_mhz = 1410,
     .sm_multiply_adds = 1024,
     .sm_cache_bytes = 64,
     .memory_gb_per_s = 2039,
     .max_cluster_blocks = 1,
     LIMITS_OF_ALL,
     AMPERE},
    {.chip = "sm_86",
     .ptx_features = "+ptx80", // [LLVM] 7.1
     .max_smem_bytes = KIB(99),
     .sm_smem_bytes = KIB(100),
     .max_sm_threads = 1536,
     .max_sm_blocks = 16,
     .num_sms = 84,
     .clock_mhz = 1740,
     .sm_multiply_adds = 512,
     .sm_cache_bytes = 64,
     .memory_gb_per_s = 696,
     .max_cluster_blocks = 1,
     LIMITS_OF_ALL,
     AMPERE},
    {.chip = "sm_89",
     .ptx_features = "+ptx84", // [PTX] mma.sync of e4m3 on sm_89: PTX 8.4
     .max_smem_bytes = KIB(99),
     .sm_smem_bytes = KIB(100),
     .max_sm_threads = 1536,
     .max_sm_blocks = 24,
     .num_sms = 142,
     .clock_mhz = 2520,
     .sm_multiply_adds = 512,
     .sm_cache_bytes = 64,
     .memory_gb_per_s = 864,
     .max_cluster_blocks = 1,
     LIMITS_OF_ALL,
     AMPERE,
     .has_f8 = true,
     .has_fast_mma_f8 = true},
    {.chip = "sm_90",
     .ptx_features = "+ptx86", // [PTX] shared::cta destinations of TMA: PTX 8.6
     .max_smem_bytes = KIB(227),
     .sm_smem_bytes = KIB(228),
     .max_sm_threads = 2048,
     .max_sm_blocks = 32,
     .num_sms = 132,
     .clock_mhz = 1755,
     .sm_multiply_adds = 2048,
     .sm_cache_bytes = 64,
     .memory_gb_per_s = 3350,
     LIMITS_OF_ALL,
     HOPPER},
    // [PTX] wgmma and setmaxnreg need the architecture-specific target. n is a
    // multiple of 8 up to 256 (of 16 above 32 for integers), k is 32 bytes.
    {.chip = "sm_90a",
     .ptx_features = "+ptx86",
     .max_smem_bytes = KIB(227),
     .sm_smem_bytes = KIB(228),
     .max_sm_threads = 2048,
     .max_sm_blocks = 32,
     .num_sms = 132,
     .clock_mhz = 1755,
     .sm_multiply_adds = 2048,
     .sm_cache_bytes = 64,
     .memory_gb_per_s = 3350,
     LIMITS_OF_ALL,
     HOPPER,
     .has_map_replace = true,
     .has_wgmma = true,
     .has_setmaxnreg = true,
     .wgmma = {.m = 64, .n_step = 8, .n_max = 256, .k_bytes = 32}},
    // Known, but not tuned for: products fall back to mma.sync, because wgmma
    // does not exist here [PTX] and tcgen05 is not lowered to.
    {.chip = "sm_100a",
     .ptx_features = "+ptx86", // [LLVM] 8.6
     .max_smem_bytes = KIB(227),
     .sm_smem_bytes = KIB(228),
     .max_sm_threads = 2048,
     .max_sm_blocks = 32,
     .num_sms = 148,
     .clock_mhz = 1850,
     .sm_multiply_adds = 4096,
     .sm_cache_bytes = 64,
     .memory_gb_per_s = 8000,
     LIMITS_OF_ALL,
     HOPPER,
     .has_setmaxnreg = true},
};

enum { NUM_TARGETS = sizeof targets / sizeof *targets };

const TileTarget *tile_target_at(size_t index) {
  return index < NUM_TARGETS ? &targets[index] : NULL;
}

const TileTarget *tile_target_find(const char *chip) {
  for (size_t i = 0; i < NUM_TARGETS; i++)
    if (strcmp(targets[i].chip, chip) == 0)
      return &targets[i];
  return NULL;
}

int64_t tile_target_thread_registers(const TileTarget *target,
                                     int64_t num_threads, int64_t num_blocks) {
  enum { GROUP_THREADS = 128, STEP = 8 }; // ptxas deals registers in eights
  int64_t groups = (num_threads + GROUP_THREADS - 1) / GROUP_THREADS;
  int64_t share = target->sm_registers / (groups * GROUP_THREADS * num_blocks);
  int64_t most = target->max_thread_registers;
  return share < most ? share / STEP * STEP : most;
}

void tile_target_list(char *out, size_t capacity) {
  size_t used = 0;
  if (capacity)
    out[0] = '\0';
  for (size_t i = 0; i < NUM_TARGETS && used < capacity; i++) {
    int length = snprintf(out + used, capacity - used, "%s%s", i ? ", " : "",
                          targets[i].chip);
    used += (size_t)length;
  }
}

//===-- The target of an op -----------------------------------------------===//

enum { CHIP_CAPACITY = 32 };

typedef struct {
  char text[256]; // the head of a printed attribute; the chip is in it
  size_t used;
} AttrText;

static void append(MlirStringRef piece, void *user_data) {
  AttrText *out = user_data;
  size_t room = sizeof out->text - 1 - out->used;
  size_t length = piece.length < room ? piece.length : room;
  memcpy(out->text + out->used, piece.data, length);
  out->used += length;
}

// mlir-c has no accessor of #nvvm.target, so its text is read: the chip is
// quoted and cannot hold a quote.
static bool chip_of_attr(MlirAttribute attr, char out_chip[CHIP_CAPACITY]) {
  static const char head[] = "#nvvm.target", key[] = "chip = \"";
  AttrText printed = {{0}, 0};
  mlirAttributePrint(attr, append, &printed);
  if (strncmp(printed.text, head, sizeof head - 1) != 0)
    return false;
  const char *start = strstr(printed.text, key);
  if (!start)
    return false;
  start += sizeof key - 1;
  size_t length = strcspn(start, "\"");
  if (length >= CHIP_CAPACITY)
    return false;
  memcpy(out_chip, start, length);
  out_chip[length] = '\0';
  return true;
}

static MlirAttribute attr_on(MlirOperation op) {
  MlirAttribute attr =
      mlirOperationGetDiscardableAttributeByName(op, TILE_STR("tile.target"));
  if (!mlirAttributeIsNull(attr) || !tile_ods_op_is(op, "gpu.module", 10))
    return attr;
  MlirAttribute list =
      mlirOperationGetInherentAttributeByName(op, TILE_STR("targets"));
  intptr_t count =
      mlirAttributeIsNull(list) ? 0 : mlirArrayAttrGetNumElements(list);
  char chip[CHIP_CAPACITY];
  for (intptr_t i = 0; i < count; i++)
    if (count == 1 || chip_of_attr(mlirArrayAttrGetElement(list, i), chip))
      return mlirArrayAttrGetElement(list, i);
  return attr;
}

MlirLogicalResult tile_target_resolve(MlirOperation op, const char *option,
                                      const TileTarget **out_target) {
  MlirAttribute attr = {NULL};
  for (MlirOperation scope = op; scope.ptr && mlirAttributeIsNull(attr);
       scope = mlirOperationGetParentOperation(scope))
    attr = attr_on(scope);

  char known[128];
  tile_target_list(known, sizeof known);
  bool has_option = option && *option;
  char chip[CHIP_CAPACITY] = {0};
  if (mlirAttributeIsNull(attr)) {
    snprintf(chip, sizeof chip, "%s", has_option ? option : TILE_DEFAULT_CHIP);
  } else if (!chip_of_attr(attr, chip)) {
    return tile_emit_error(op,
                           "expects a target of the form #nvvm.target<chip = "
                           "\"<chip>\">; known chips are %s",
                           known);
  } else if (has_option && strcmp(chip, option) != 0) {
    return tile_emit_error(
        op, "is for target %s, but the option says target=%s", chip, option);
  }
  *out_target = tile_target_find(chip);
  if (!*out_target)
    return tile_emit_error(op, "has unknown target '%s'; known chips are %s",
                           chip, known);
  return tile_success();
}
