//===- StatisticsClass.c - What an opcode does, from its text -------------===//

#include "Statistics.h"

#include <stdio.h>
#include <stdlib.h>

const char *tile_emu_class_name(TileInsnClass class) {
  static const char *const names[TILE_NUM_CLASSES] = {
      [TILE_CLASS_MATRIX_PRODUCT] = "matrix products",
      [TILE_CLASS_MATRIX_MOVE] = "matrix loads and stores",
      [TILE_CLASS_ASYNC_COPY] = "asynchronous copies",
      [TILE_CLASS_SHARED] = "shared memory",
      [TILE_CLASS_GLOBAL] = "global memory",
      [TILE_CLASS_LOCAL] = "local memory",
      [TILE_CLASS_GENERIC] = "generic addresses",
      [TILE_CLASS_PARAM] = "parameters and constants",
      [TILE_CLASS_ATOMIC] = "atomics",
      [TILE_CLASS_SYNC] = "synchronisation",
      [TILE_CLASS_WARP] = "warp exchange",
      [TILE_CLASS_FLOAT] = "floating point",
      [TILE_CLASS_INTEGER] = "integer and logic",
      [TILE_CLASS_MOVE] = "moves and conversions",
      [TILE_CLASS_CONTROL] = "control flow",
  };
  return names[class];
}

static bool begins(const char *opcode, const char *prefix) {
  return !strncmp(opcode, prefix, strlen(prefix));
}

/// Opcodes that begin with `prefix`; the first match counts.
typedef struct {
  const char *prefix;
  TileInsnClass class;
  TileInsnUnit unit;
} Rule;

static const Rule rules[] = {
    {"wgmma.mma_async", TILE_CLASS_MATRIX_PRODUCT, TILE_UNIT_PRODUCT},
    {"wgmma.wait_group", TILE_CLASS_SYNC, TILE_UNIT_WAIT},
    {"wgmma.", TILE_CLASS_SYNC, TILE_UNIT_NONE},
    {"wmma.mma", TILE_CLASS_MATRIX_PRODUCT, TILE_UNIT_PRODUCT},
    {"wmma.", TILE_CLASS_MATRIX_MOVE, TILE_UNIT_NONE},
    {"mma.", TILE_CLASS_MATRIX_PRODUCT, TILE_UNIT_PRODUCT},
    {"ldmatrix.", TILE_CLASS_MATRIX_MOVE, TILE_UNIT_LDMATRIX},
    {"stmatrix.", TILE_CLASS_MATRIX_MOVE, TILE_UNIT_STMATRIX},
    {"movmatrix.", TILE_CLASS_MATRIX_MOVE, TILE_UNIT_NONE},
    {"cp.async.bulk.wait", TILE_CLASS_SYNC, TILE_UNIT_WAIT},
    {"cp.async.bulk.commit", TILE_CLASS_SYNC, TILE_UNIT_NONE},
    {"cp.async.bulk", TILE_CLASS_ASYNC_COPY, TILE_UNIT_BULK},
    {"cp.reduce.async.bulk", TILE_CLASS_ASYNC_COPY, TILE_UNIT_BULK},
    {"cp.async.wait", TILE_CLASS_SYNC, TILE_UNIT_WAIT},
    {"cp.async.commit", TILE_CLASS_SYNC, TILE_UNIT_NONE},
    {"cp.async.mbarrier", TILE_CLASS_SYNC, TILE_UNIT_NONE},
    {"cp.async.c", TILE_CLASS_ASYNC_COPY, TILE_UNIT_CP_ASYNC},
    {"cp.", TILE_CLASS_ASYNC_COPY, TILE_UNIT_NONE},
    {"st.async", TILE_CLASS_ASYNC_COPY, TILE_UNIT_NONE},
    {"st.bulk", TILE_CLASS_ASYNC_COPY, TILE_UNIT_NONE},
    {"red.async", TILE_CLASS_ASYNC_COPY, TILE_UNIT_NONE},
    {"clusterlaunchcontrol.try_cancel", TILE_CLASS_ASYNC_COPY, TILE_UNIT_NONE},
    {"mbarrier.try_wait", TILE_CLASS_SYNC, TILE_UNIT_WAIT},
    {"mbarrier.test_wait", TILE_CLASS_SYNC, TILE_UNIT_WAIT},
    {"mbarrier.", TILE_CLASS_SYNC, TILE_UNIT_NONE},
    {"barrier.cluster.wait", TILE_CLASS_SYNC, TILE_UNIT_WAIT},
    {"barrier.cluster", TILE_CLASS_SYNC, TILE_UNIT_NONE},
    {"bar.warp", TILE_CLASS_SYNC, TILE_UNIT_NONE},
    {"bar.arrive", TILE_CLASS_SYNC, TILE_UNIT_NONE},
    {"bar.cta.arrive", TILE_CLASS_SYNC, TILE_UNIT_NONE},
    {"barrier.arrive", TILE_CLASS_SYNC, TILE_UNIT_NONE},
    {"barrier.cta.arrive", TILE_CLASS_SYNC, TILE_UNIT_NONE},
    {"bar.", TILE_CLASS_SYNC, TILE_UNIT_WAIT},
    {"barrier.", TILE_CLASS_SYNC, TILE_UNIT_WAIT},
    {"fence", TILE_CLASS_SYNC, TILE_UNIT_NONE},
    {"membar", TILE_CLASS_SYNC, TILE_UNIT_NONE},
    {"atom.", TILE_CLASS_ATOMIC, TILE_UNIT_ATOMIC},
    {"red.", TILE_CLASS_ATOMIC, TILE_UNIT_ATOMIC},
    {"ldu.", TILE_CLASS_GENERIC, TILE_UNIT_LOAD},
    {"ld.", TILE_CLASS_GENERIC, TILE_UNIT_LOAD},
    {"st.", TILE_CLASS_GENERIC, TILE_UNIT_STORE},
    {"shfl.", TILE_CLASS_WARP, TILE_UNIT_NONE},
    {"vote.", TILE_CLASS_WARP, TILE_UNIT_NONE},
    {"match.", TILE_CLASS_WARP, TILE_UNIT_NONE},
    {"redux.", TILE_CLASS_WARP, TILE_UNIT_NONE},
    {"elect.", TILE_CLASS_WARP, TILE_UNIT_NONE},
    {"activemask", TILE_CLASS_WARP, TILE_UNIT_NONE},
    {"bra", TILE_CLASS_CONTROL, TILE_UNIT_NONE},
    {"brx", TILE_CLASS_CONTROL, TILE_UNIT_NONE},
    {"ret", TILE_CLASS_CONTROL, TILE_UNIT_NONE},
    {"exit", TILE_CLASS_CONTROL, TILE_UNIT_NONE},
    {"call", TILE_CLASS_CONTROL, TILE_UNIT_NONE},
    {"trap", TILE_CLASS_CONTROL, TILE_UNIT_NONE},
    {"mov.", TILE_CLASS_MOVE, TILE_UNIT_NONE},
    {"cvt", TILE_CLASS_MOVE, TILE_UNIT_NONE},
    {"selp.", TILE_CLASS_MOVE, TILE_UNIT_NONE},
    {"mapa.", TILE_CLASS_MOVE, TILE_UNIT_NONE},
    {"clusterlaunchcontrol.query", TILE_CLASS_MOVE, TILE_UNIT_NONE},
};

static TileInsnClass space_class(const char *opcode) {
  static const struct {
    const char *word;
    TileInsnClass class;
  } spaces[] = {
      {".shared", TILE_CLASS_SHARED}, {".global", TILE_CLASS_GLOBAL},
      {".local", TILE_CLASS_LOCAL},   {".param", TILE_CLASS_PARAM},
      {".const", TILE_CLASS_PARAM},
  };
  for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
    if (strstr(opcode, spaces[i].word))
      return spaces[i].class;
  return TILE_CLASS_GENERIC;
}

static TileInsnClass arithmetic_class(const char *opcode) {
  static const char *const types[] = {".f16", ".bf16", ".f32", ".f64"};
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
    if (strstr(opcode, types[i]))
      return TILE_CLASS_FLOAT;
  return TILE_CLASS_INTEGER;
}

//===-- Products ----------------------------------------------------------===//

/// Finds ".m16n8k16"; sets the numbers and what follows it.
static const char *find_shape(const char *opcode, unsigned long shape[3]) {
  for (const char *at = opcode; (at = strstr(at, ".m")); at++) {
    char *end;
    shape[0] = strtoul(at + 2, &end, 10);
    if (end == at + 2 || *end != 'n')
      continue;
    shape[1] = strtoul(end + 1, &end, 10);
    if (*end != 'k')
      continue;
    shape[2] = strtoul(end + 1, &end, 10);
    return end;
  }
  return NULL;
}

static void product_traits(const char *opcode, TileInsnTraits *traits) {
  unsigned long shape[3];
  const char *rest = find_shape(opcode, shape);
  if (!rest || shape[0] > 1024 || shape[1] > 1024 || shape[2] > 1024)
    return;
  traits->macs = (uint64_t)shape[0] * shape[1] * shape[2];
  if (begins(opcode, "wgmma")) // four warps together
    traits->macs /= 4;
  if (strstr(opcode, ".sp")) // half of A is not there
    traits->macs /= 2;
  bool is_quads = strstr(opcode, ".m8n8k4.") && !strstr(opcode, ".f64");
  if (is_quads) // four products of eight lanes each
    traits->macs *= 4;
  snprintf(traits->type, sizeof traits->type, "%.39s",
           *rest == '.' ? rest + 1 : rest);
}

TileInsnTraits tile_emu_insn_traits(const char *opcode) {
  TileInsnTraits traits = {.class = TILE_NUM_CLASSES};
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
    if (begins(opcode, rules[i].prefix)) {
      traits.class = (uint8_t)rules[i].class;
      traits.unit = (uint8_t)rules[i].unit;
      break;
    }
  if (traits.class == TILE_CLASS_GENERIC)
    traits.class = (uint8_t)space_class(opcode);
  else if (traits.class == TILE_NUM_CLASSES)
    traits.class = (uint8_t)arithmetic_class(opcode);
  else if (traits.unit == TILE_UNIT_PRODUCT)
    product_traits(opcode, &traits);
  return traits;
}

/// Rows of A and B have 32 bytes of k, or twice as much when A is sparse and
/// keeps half of it.
static uint64_t wgmma_read_bytes(const TileInsn *insn) {
  enum { ROW_BYTES = 32, NUM_WARPS = 4, ROWS_OF_A = 64 };
  uint64_t rows = insn->as.wgmma.n * (insn->as.wgmma.is_sparse ? 2u : 1u);
  if (!insn->as.wgmma.num_a)
    rows += ROWS_OF_A;
  return rows * ROW_BYTES / NUM_WARPS;
}

TileInsnTraits *tile_emu_traits_create(const TileKernel *kernel) {
  TileInsnTraits *traits = tile_emu_calloc(kernel->num_insns, sizeof *traits);
  for (uint32_t i = 0; i < kernel->num_insns; i++) {
    const TileInsn *insn = &kernel->code[i];
    traits[i] = tile_emu_insn_traits(insn->opcode ? insn->opcode : "");
    // Those that are not supported have no operands.
    if (insn->flags & TILE_INSN_UNSUPPORTED ||
        traits[i].class == TILE_CLASS_PARAM)
      traits[i].unit = TILE_UNIT_NONE;
    else if (insn->opcode && begins(insn->opcode, "wgmma.mma_async"))
      traits[i].read_bytes = wgmma_read_bytes(insn);
  }
  return traits;
}
