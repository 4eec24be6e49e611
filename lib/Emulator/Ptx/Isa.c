//===- Isa.c - The instruction set ----------------------------------------===//
//
// Which file decodes which mnemonic. Order: arithmetic, data movement, copies,
// synchronisation, matrix products, control.
//
//===----------------------------------------------------------------------===//

#include "Decode.h"
#include "Emulator/Async/Async.h"
#include "Emulator/Machine.h"
#include "Emulator/Undefined/Undefined.h"

#include <string.h>

typedef struct {
  const char *mnemonic;
  TileDecode decode;
} IsaEntry;

/// Known, but needs hardware that one device does not have.
static void decode_multimem(TileDecoder *decoder) {
  tile_decode_unsupported(decoder, "multimem: addresses several GPUs at once, "
                                   "and the emulator has one");
}

static void decode_later(TileDecoder *decoder) {
  tile_decode_unsupported(decoder, "needs sm_100, the emulator is an sm_90a");
}

static const IsaEntry isa[] = {
    {"add", tile_emu_decode_arithmetic},
    {"sub", tile_emu_decode_arithmetic},
    {"mul", tile_emu_decode_arithmetic},
    {"mad", tile_emu_decode_arithmetic},
    {"fma", tile_emu_decode_arithmetic},
    {"mul24", tile_emu_decode_arithmetic},
    {"mad24", tile_emu_decode_arithmetic},
    {"sad", tile_emu_decode_arithmetic},
    {"div", tile_emu_decode_arithmetic},
    {"rem", tile_emu_decode_arithmetic},
    {"min", tile_emu_decode_arithmetic},
    {"max", tile_emu_decode_arithmetic},
    {"abs", tile_emu_decode_arithmetic},
    {"neg", tile_emu_decode_arithmetic},
    {"copysign", tile_emu_decode_arithmetic},
    {"sqrt", tile_emu_decode_arithmetic},
    {"rsqrt", tile_emu_decode_arithmetic},
    {"rcp", tile_emu_decode_arithmetic},
    {"ex2", tile_emu_decode_arithmetic},
    {"lg2", tile_emu_decode_arithmetic},
    {"sin", tile_emu_decode_arithmetic},
    {"cos", tile_emu_decode_arithmetic},
    {"tanh", tile_emu_decode_arithmetic},
    {"addc", tile_emu_decode_carry},
    {"subc", tile_emu_decode_carry},
    {"madc", tile_emu_decode_carry},
    {"and", tile_emu_decode_logic},
    {"or", tile_emu_decode_logic},
    {"xor", tile_emu_decode_logic},
    {"not", tile_emu_decode_logic},
    {"cnot", tile_emu_decode_logic},
    {"shl", tile_emu_decode_shift},
    {"shr", tile_emu_decode_shift},
    {"popc", tile_emu_decode_bits},
    {"clz", tile_emu_decode_bits},
    {"brev", tile_emu_decode_bits},
    {"bfind", tile_emu_decode_bits},
    {"fns", tile_emu_decode_bits},
    {"bfe", tile_emu_decode_bits},
    {"bfi", tile_emu_decode_bits},
    {"shf", tile_emu_decode_bits},
    {"lop3", tile_emu_decode_bits},
    {"prmt", tile_emu_decode_bits},
    {"dp4a", tile_emu_decode_bits},
    {"dp2a", tile_emu_decode_bits},
    {"szext", tile_emu_decode_mask},
    {"bmsk", tile_emu_decode_mask},
    {"setp", tile_emu_decode_setp},
    {"set", tile_emu_decode_set},
    {"selp", tile_emu_decode_selp},
    {"slct", tile_emu_decode_slct},
    {"testp", tile_emu_decode_testp},
    {"mov", tile_emu_decode_mov},
    {"cvt.pack", tile_emu_decode_cvt_pack},
    {"cvt", tile_emu_decode_cvt},
    {"vadd", tile_emu_decode_video},
    {"vsub", tile_emu_decode_video},
    {"vabsdiff", tile_emu_decode_video},
    {"vmin", tile_emu_decode_video},
    {"vmax", tile_emu_decode_video},
    {"vshl", tile_emu_decode_video},
    {"vshr", tile_emu_decode_video},
    {"vset", tile_emu_decode_video},
    {"vmad", tile_emu_decode_vmad},
    {"vadd2", tile_emu_decode_video},
    {"vsub2", tile_emu_decode_video},
    {"vavrg2", tile_emu_decode_video},
    {"vabsdiff2", tile_emu_decode_video},
    {"vmin2", tile_emu_decode_video},
    {"vmax2", tile_emu_decode_video},
    {"vset2", tile_emu_decode_video},
    {"vadd4", tile_emu_decode_video},
    {"vsub4", tile_emu_decode_video},
    {"vavrg4", tile_emu_decode_video},
    {"vabsdiff4", tile_emu_decode_video},
    {"vmin4", tile_emu_decode_video},
    {"vmax4", tile_emu_decode_video},
    {"vset4", tile_emu_decode_video},

    {"ld", tile_emu_decode_ld},
    {"ldu", tile_emu_decode_ld},
    {"st.async", tile_emu_decode_st_async},
    {"st", tile_emu_decode_st},
    {"atom", tile_emu_decode_atom},
    {"red.async", tile_emu_decode_red_async},
    {"red", tile_emu_decode_red},
    {"cvta", tile_emu_decode_cvta},
    {"isspacep", tile_emu_decode_isspacep},
    {"mapa", tile_emu_decode_mapa},
    {"getctarank", tile_emu_decode_getctarank},
    {"ldmatrix", tile_emu_decode_ldmatrix},
    {"stmatrix", tile_emu_decode_stmatrix},
    {"movmatrix", tile_emu_decode_movmatrix},
    {"tensormap", tile_emu_decode_tensormap},
    {"createpolicy", tile_emu_decode_createpolicy},
    {"prefetch", tile_emu_decode_hint},
    {"prefetchu", tile_emu_decode_hint},
    {"discard", tile_emu_decode_hint},
    {"applypriority", tile_emu_decode_hint},

    {"cp.async.bulk", tile_emu_decode_cp_async_bulk},
    {"cp.reduce.async.bulk", tile_emu_decode_cp_async_bulk},
    {"cp", tile_emu_decode_cp_async},
    {"multimem", decode_multimem},
    {"clusterlaunchcontrol", tile_emu_decode_cluster_launch_control},
    {"tcgen05", decode_later},

    {"barrier.cluster", tile_emu_decode_barrier_cluster},
    {"bar.warp", tile_emu_decode_bar_warp},
    {"bar", tile_emu_decode_bar},
    {"barrier", tile_emu_decode_bar},
    {"fence", tile_emu_decode_fence},
    {"membar", tile_emu_decode_fence},
    {"mbarrier", tile_emu_decode_mbarrier},
    {"shfl", tile_emu_decode_shfl},
    {"vote", tile_emu_decode_vote},
    {"match", tile_emu_decode_match},
    {"redux", tile_emu_decode_redux},
    {"activemask", tile_emu_decode_activemask},
    {"elect", tile_emu_decode_elect},

    {"mma", tile_emu_decode_mma},
    {"wmma", tile_emu_decode_wmma},
    {"wgmma", tile_emu_decode_wgmma},

    {"call", tile_emu_decode_call},
    {"alloca", tile_emu_decode_stack},
    {"stacksave", tile_emu_decode_stack},
    {"stackrestore", tile_emu_decode_stack},
    {"ret", tile_emu_decode_exit},
    {"exit", tile_emu_decode_exit},
    {"trap", tile_emu_decode_trap},
    {"brkpt", tile_emu_decode_trap},
    {"setmaxnreg", tile_emu_decode_setmaxnreg},
    {"griddepcontrol", tile_emu_decode_hint},
    {"nanosleep", tile_emu_decode_hint},
    {"pmevent", tile_emu_decode_hint},
};

/// The entry whose words are the first words of the opcode.
static const IsaEntry *isa_find(const char *opcode) {
  for (size_t i = 0; i < sizeof isa / sizeof isa[0]; i++) {
    size_t length = strlen(isa[i].mnemonic);
    if (!strncmp(opcode, isa[i].mnemonic, length) &&
        (opcode[length] == 0 || opcode[length] == '.'))
      return &isa[i];
  }
  return NULL;
}

//===-- Opcode words ------------------------------------------------------===//

static void split_opcode(TileDecoder *decoder) {
  TileArena *arena = &decoder->parser->scratch;
  char *at = tile_arena_strdup(arena, decoder->opcode, strlen(decoder->opcode));
  while (at && decoder->num_words < TILE_DECODE_MAX_WORDS) {
    char *dot = strchr(at, '.');
    if (dot)
      *dot = 0;
    TilePtxType type = tile_emu_type_parse(at);
    decoder->words[decoder->num_words++] = at;
    if (type != TILE_PTX_NONE && decoder->num_types < TILE_DECODE_MAX_TYPES)
      decoder->types[decoder->num_types++] = type;
    at = dot ? dot + 1 : NULL;
  }
}

//===-- Instructions that cannot be executed ------------------------------===//

static TileLanes unsupported(TileWarp *warp, const TileInsn *insn,
                             TileLanes lanes) {
  tile_emu_find(warp, insn, lanes, TILE_FINDING_UNSUPPORTED,
                "%s is not supported by the emulator (%s)", insn->opcode,
                insn->as.text);
  warp->cluster->is_stopped = true;
  return 0;
}

static void make_unsupported(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  TileInsn fresh = {.exec = unsupported};
  fresh.guard = insn->guard;
  fresh.guard_id = insn->guard_id;
  fresh.guard_negated = insn->guard_negated;
  fresh.flags = (insn->flags & TILE_INSN_LEADER) | TILE_INSN_UNSUPPORTED;
  fresh.line = insn->line;
  fresh.source_file = insn->source_file;
  fresh.source_line = insn->source_line;
  fresh.opcode = insn->opcode;
  fresh.as.text = tile_arena_strdup(&decoder->parser->module->arena,
                                    decoder->unsupported_reason,
                                    strlen(decoder->unsupported_reason));
  *insn = fresh;
}

//===-- What becomes of undefined sources
//----------------------------------===//

typedef struct {
  const char *prefix;
  TileRole role;
} RoleEntry;

static const RoleEntry roles[] = {
    {"selp.", TILE_ROLE_SELECTS},
    {"and.pred", TILE_ROLE_ANDS},
    {"or.pred", TILE_ROLE_ORS},
    {"xor.pred", TILE_ROLE_PASSES_ON},
    {"not.pred", TILE_ROLE_PASSES_ON},
    {"mov.pred", TILE_ROLE_PASSES_ON},
    {"and.", TILE_ROLE_BITS},
    {"or.", TILE_ROLE_BITS},
    {"xor.", TILE_ROLE_BITS},
    {"not.", TILE_ROLE_BITS},
    {"shl.", TILE_ROLE_BITS},
    {"shr.", TILE_ROLE_BITS},
    {"shf.", TILE_ROLE_BITS},
    {"prmt.", TILE_ROLE_BITS},
    {"bfe.", TILE_ROLE_BITS},
    {"bfi.", TILE_ROLE_BITS},
    {"lop3.b32", TILE_ROLE_BITS},
    {"copysign.", TILE_ROLE_BITS},
    {"abs.f", TILE_ROLE_BITS},
    {"neg.f", TILE_ROLE_BITS},
    {"mov.b128", TILE_ROLE_PASSES_ON},
    {"mov.", TILE_ROLE_BITS},
    {"shfl.", TILE_ROLE_SHUFFLES},
    {"vote.", TILE_ROLE_COLLECTS},
    {"match.", TILE_ROLE_COLLECTS},
    {"redux.", TILE_ROLE_COLLECTS},
    {"movmatrix.", TILE_ROLE_TRANSPOSES},
    {"stmatrix.", TILE_ROLE_STORES},
    {"st.async", TILE_ROLE_USES},
    {"st.bulk", TILE_ROLE_USES},
    {"st.", TILE_ROLE_STORES},
    {"mma.", TILE_ROLE_MULTIPLIES},
    {"wgmma.mma_async", TILE_ROLE_ACCUMULATES},
    {"ld", TILE_ROLE_USES},
    {"red", TILE_ROLE_USES},
    {"atom", TILE_ROLE_USES},
    {"wmma.", TILE_ROLE_USES},
    {"bar", TILE_ROLE_USES},
    {"mbarrier.", TILE_ROLE_USES},
    {"cp.", TILE_ROLE_USES},
    {"tensormap.", TILE_ROLE_USES},
    {"call", TILE_ROLE_USES},
    {"prefetch", TILE_ROLE_USES},
    {"discard", TILE_ROLE_USES},
    {"applypriority", TILE_ROLE_USES},
    {"fence", TILE_ROLE_USES},
    {"multimem", TILE_ROLE_USES},
    {"clusterlaunchcontrol", TILE_ROLE_USES},
};

static bool is_integer_word(const char *word) {
  return (word[0] == 'u' || word[0] == 's' || word[0] == 'b') &&
         word[1] >= '0' && word[1] <= '9';
}

/// cvt between integers moves bits; cvt of two floats packs them.
static TileRole role_of_cvt(const char *opcode) {
  if (strstr(opcode, "x2.f32"))
    return TILE_ROLE_PACKS;
  const char *last = strrchr(opcode, '.');
  const char *first = last - 1;
  while (*first != '.')
    first--;
  return is_integer_word(last + 1) && is_integer_word(first + 1) &&
                 !strstr(opcode, ".sat")
             ? TILE_ROLE_BITS
             : TILE_ROLE_PASSES_ON;
}

//===-- Entry -------------------------------------------------------------===//

static void keep_registers(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  uint32_t count = decoder->num_issue_registers ? decoder->num_issue_registers
                                                : decoder->num_registers;
  uint32_t *ids =
      tile_arena_alloc(&decoder->parser->module->arena, count * sizeof *ids);
  memcpy(ids, decoder->registers, count * sizeof *ids);
  insn->reg_ids = ids;
  uint32_t *slots =
      tile_arena_alloc(&decoder->parser->module->arena, count * sizeof *slots);
  memcpy(slots, decoder->register_slots, count * sizeof *slots);
  insn->reg_slots = slots;
  insn->num_regs = (uint16_t)decoder->num_registers;
  insn->num_issue_regs = (uint16_t)count;
  insn->num_dst_regs = (uint16_t)decoder->num_dst_registers;
}

static TileRole undefined_role(const char *opcode) {
  if (strncmp(opcode, "cvt.", 4) == 0)
    return role_of_cvt(opcode);
  for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
    if (strncmp(opcode, roles[i].prefix, strlen(roles[i].prefix)) == 0)
      return roles[i].role;
  bool is_pair = strstr(opcode, "f16x2") && strncmp(opcode, "set", 3) != 0;
  return is_pair ? TILE_ROLE_HALVES : TILE_ROLE_PASSES_ON;
}

bool tile_emu_insn_decode(TileParser *parser, TileInsn *insn, TileText opcode,
                          TileOperand *const *operands, uint32_t num_operands) {
  TileDecoder decoder = {.parser = parser, .insn = insn};
  decoder.ops = operands;
  decoder.num_ops = num_operands;
  decoder.opcode = insn->opcode =
      tile_arena_strdup(&parser->module->arena, opcode.start, opcode.length);
  split_opcode(&decoder);
  insn->role = (uint8_t)undefined_role(insn->opcode);
  const IsaEntry *entry = isa_find(decoder.opcode);
  if (entry)
    entry->decode(&decoder);
  else
    tile_decode_unsupported(&decoder, "unknown instruction");
  if (decoder.unsupported_reason)
    make_unsupported(&decoder);
  else
    keep_registers(&decoder);
  return !decoder.is_hint;
}
