//===- AluVideo.c - Video instructions ------------------------------------===//
//
// PTX ISA, "Video Instructions": vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr,
// vset, and on two halves or four bytes vadd2, vsub4, vavrg2, vset4 and so on.
// All of them pick parts of {b, a}, compute in more bits, clamp, and then merge
// the result with c or add it to c.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Machine.h"
#include "Emulator/Ptx/Decode.h"

typedef enum { ADD, SUB, ABSDIFF, MIN, MAX, AVRG, SHL, SHR, SET } VideoOp;
typedef enum { EQ, NE, LT, LE, GT, GE } VideoRelation;
typedef enum { KEEP, MERGE, PLUS, OTHER } VideoSecond;

/// Parts of a register pair: `bits` wide, one for each result.
typedef struct {
  uint8_t bits, index[4];
  bool is_signed;
} VideoPick;

struct TileVideo {
  VideoOp op;
  VideoRelation relation;
  VideoSecond second;
  uint32_t num_elems;
  bool saturates, wraps, d_signed;
  VideoPick a, b;
  uint8_t d_bits, d_index[4];
  uint32_t mask; // of elements that are written
  // vmad
  bool negates_product, negates_c, is_plus_one;
  uint32_t scale; // shift to the right
};

//===-- Execution ---------------------------------------------------------===//

static int64_t extract(uint64_t pool, const VideoPick *pick, uint32_t i) {
  uint64_t top = pool >> (pick->index[i] * pick->bits) << (64 - pick->bits);
  return pick->is_signed ? (int64_t)top >> (64 - pick->bits)
                         : (int64_t)(top >> (64 - pick->bits));
}

static bool holds(VideoRelation relation, int64_t a, int64_t b) {
  switch (relation) {
  case EQ:
    return a == b;
  case NE:
    return a != b;
  case LT:
    return a < b;
  case LE:
    return a <= b;
  case GT:
    return a > b;
  default:
    return a >= b;
  }
}

static int64_t compute(const struct TileVideo *video, int64_t a, int64_t b) {
  uint32_t shift = (uint32_t)b;
  if (video->wraps)
    shift &= 31;
  else if (shift > 32)
    shift = 32;
  switch (video->op) {
  case ADD:
    return a + b;
  case SUB:
    return a - b;
  case ABSDIFF:
    return a < b ? b - a : a - b;
  case MIN:
    return a < b ? a : b;
  case MAX:
    return a > b ? a : b;
  case AVRG: // halves are rounded away from minus infinity
    return (a + b + (a + b >= 0)) >> 1;
  case SHL:
    return (int64_t)((uint64_t)a << shift);
  case SHR:
    return a >> shift;
  default:
    return holds(video->relation, a, b);
  }
}

static int64_t clamped(const struct TileVideo *video, int64_t x) {
  int64_t high =
      (int64_t)(UINT64_MAX >> (64 - video->d_bits + video->d_signed));
  int64_t low = video->d_signed ? -high - 1 : 0;
  return x < low ? low : x > high ? high : x;
}

static uint32_t video_lane(const struct TileVideo *video, uint32_t a,
                           uint32_t b, uint32_t c) {
  uint64_t pool = (uint64_t)b << 32 | a;
  bool merges = video->second == MERGE;
  uint32_t result = merges ? c : 0;
  for (uint32_t i = 0; i < video->num_elems; i++) {
    if (!(video->mask >> i & 1))
      continue;
    int64_t elem = compute(video, extract(pool, &video->a, i),
                           extract(pool, &video->b, i));
    if (video->saturates)
      elem = clamped(video, elem);
    if (!merges) {
      result += (uint32_t)elem;
      continue;
    }
    uint32_t at = video->d_bits * (uint32_t)video->d_index[i];
    uint32_t ones = (uint32_t)((1ull << video->d_bits) - 1) << at;
    result = (result & ~ones) | ((uint32_t)elem << at & ones);
  }
  return video->second == PLUS ? result + c : result;
}

static TileLanes exec_video(TileWarp *warp, const TileInsn *insn,
                            TileLanes lanes) {
  uint32_t *d = tile_u32(warp, insn->dst);
  const uint32_t *a = tile_u32(warp, insn->a), *b = tile_u32(warp, insn->b);
  const uint32_t *c = tile_u32(warp, insn->c);
  TILE_FOR_LANES (l, lanes) {
    d[l] = video_lane(insn->as.video, a[l], b[l], c[l]);
  }
  return 0;
}

//===-- vmad --------------------------------------------------------------===//

/// a * b + c, of 64 bits. Negative ones wrap; only -(u32 * u32) may be so small
/// that the sign is lost, and then it is far below what s32 can hold.
static uint32_t multiply_add(const struct TileVideo *video, uint32_t a,
                             uint32_t b, uint32_t c) {
  uint64_t pool = (uint64_t)b << 32 | a;
  uint64_t product = (uint64_t)extract(pool, &video->a, 0) *
                     (uint64_t)extract(pool, &video->b, 0);
  bool is_tiny = video->negates_product && !video->a.is_signed &&
                 !video->b.is_signed && product > INT64_MAX;
  if (video->negates_product)
    product = 0 - product;
  uint64_t addend = video->d_signed ? (uint64_t)(int32_t)c : c;
  uint64_t sum =
      product + (video->negates_c ? 0 - addend : addend) + video->is_plus_one;
  uint64_t result = video->d_signed ? (uint64_t)((int64_t)sum >> video->scale)
                                    : sum >> video->scale;
  if (!video->saturates)
    return (uint32_t)result;
  if (!video->d_signed)
    return result > UINT32_MAX ? UINT32_MAX : (uint32_t)result;
  int64_t number = (int64_t)result;
  return is_tiny || number < INT32_MIN ? (uint32_t)INT32_MIN
         : number > INT32_MAX          ? (uint32_t)INT32_MAX
                                       : (uint32_t)result;
}

static TileLanes exec_vmad(TileWarp *warp, const TileInsn *insn,
                           TileLanes lanes) {
  uint32_t *d = tile_u32(warp, insn->dst);
  const uint32_t *a = tile_u32(warp, insn->a), *b = tile_u32(warp, insn->b);
  const uint32_t *c = tile_u32(warp, insn->c);
  TILE_FOR_LANES (l, lanes) {
    d[l] = multiply_add(insn->as.video, a[l], b[l], c[l]);
  }
  return 0;
}

//===-- Decode ------------------------------------------------------------===//

/// .b0, .h1, .h32, .b7654: parts by number, the last one first; false when the
/// text is no selector of `count` (1, 2 or 4) parts below `limit_bytes`.
static bool selector_parse(TileText text, uint32_t count, uint32_t limit_bytes,
                           uint8_t *out_bits, uint8_t out_index[4]) {
  if (text.length != 1 + count ||
      (text.start[0] != 'b' && text.start[0] != 'h'))
    return false;
  *out_bits = text.start[0] == 'b' ? 8 : 16;
  uint32_t limit = 8 * limit_bytes / *out_bits;
  for (uint32_t i = 0; i < count && i < 4; i++) {
    uint32_t digit = (uint32_t)(text.start[count - i] - '0');
    if (digit >= limit)
      return false;
    out_index[i] = (uint8_t)digit;
  }
  return true;
}

/// Without a selector: the whole register, or its parts in order. `first` is 0
/// for a and 1 for b.
static void decode_pick(TileDecoder *decoder, uint32_t op, uint32_t num_elems,
                        VideoPick *out_pick) {
  uint32_t is_b = op - 1;
  TileText selector = decoder->ops[op]->selector;
  out_pick->bits = (uint8_t)(32 / num_elems);
  for (uint32_t i = 0; i < num_elems; i++)
    out_pick->index[i] = (uint8_t)(is_b * num_elems + i);
  if (!selector.length)
    return;
  uint8_t bits;
  uint8_t index[4] = {0};
  bool is_valid =
      selector_parse(selector, num_elems, num_elems > 1 ? 8 : 4, &bits, index);
  if (!is_valid || (num_elems > 1 && bits != out_pick->bits)) {
    tile_decode_fail(decoder, "selector .%.*s", (int)selector.length,
                     selector.start);
    return;
  }
  out_pick->bits = bits;
  memcpy(out_pick->index, index, sizeof index);
  if (num_elems == 1)
    out_pick->index[0] = (uint8_t)(index[0] + is_b * (32u / bits));
}

/// Where the result goes.
static void decode_result(TileDecoder *decoder, struct TileVideo *video) {
  TileText selector = decoder->ops[0]->selector;
  uint32_t num_elems = video->num_elems;
  video->d_bits = (uint8_t)(32 / num_elems);
  video->mask = (1u << num_elems) - 1;
  for (uint32_t i = 0; i < num_elems; i++)
    video->d_index[i] = (uint8_t)i;
  if (!selector.length)
    return;
  uint8_t bits = 0, index[4] = {0};
  uint32_t count = selector.length - 1;
  bool is_valid = count >= 1 && count <= num_elems &&
                  selector_parse(selector, count, 4, &bits, index);
  if (num_elems == 1 && is_valid) {
    video->d_bits = bits;
    video->d_index[0] = index[0];
    video->second = MERGE;
    return;
  }
  video->mask = 0;
  for (uint32_t i = 0; i < count && is_valid; i++)
    video->mask |= 1u << index[i];
  if (!is_valid || bits != video->d_bits)
    tile_decode_fail(decoder, "selector .%.*s", (int)selector.length,
                     selector.start);
}

/// A register operand without its selector.
static uint32_t decode_source(TileDecoder *decoder, uint32_t index) {
  TileOperand operand = *decoder->ops[index];
  operand.selector.length = 0;
  operand.negated &= decoder->insn->exec != exec_vmad;
  return tile_decode_src_of(decoder, &operand, TILE_PTX_B32);
}

static void decode_operands(TileDecoder *decoder, struct TileVideo *video) {
  TileInsn *insn = decoder->insn;
  decode_result(decoder, video);
  decode_pick(decoder, 1, video->num_elems, &video->a);
  decode_pick(decoder, 2, video->num_elems, &video->b);
  TileOperand result = *decoder->ops[0];
  result.selector.length = 0;
  insn->dst = tile_decode_dst_of(decoder, &result, TILE_PTX_B32);
  insn->a = decode_source(decoder, 1);
  insn->b = decode_source(decoder, 2);
  if (decoder->num_ops == 4)
    insn->c = decode_source(decoder, 3);
  if (decoder->num_ops == 4 && video->second == KEEP)
    tile_decode_fail(decoder, "%u operands where 3 are expected", 4u);
  insn->as.video = video;
  insn->exec = exec_video;
}

void tile_emu_decode_video(TileDecoder *decoder) {
  static const char *const names[] = {"add",  "sub", "absdiff", "min", "max",
                                      "avrg", "shl", "shr",     "set"};
  static const char *const relations[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  static const char *const seconds[] = {"add", "min", "max"};
  struct TileVideo *video =
      TILE_ARENA_NEW(&decoder->parser->module->arena, struct TileVideo, 1);
  const char *name = decoder->words[0] + 1;
  size_t length = strcspn(name, "24");
  int op = 0;
  while (strlen(names[op]) != length || strncmp(names[op], name, length))
    op++;
  video->op = (VideoOp)op;
  video->num_elems = name[length] ? (uint32_t)(name[length] - '0') : 1;
  int relation = tile_decode_choice(decoder, relations, 6);
  int second_op = tile_decode_choice(decoder, seconds, 3);
  tile_decode_allow(decoder, op == SET ? "eq ne lt le gt ge add min max"
                                       : "sat add min max clamp wrap");
  uint32_t num_types = op == SET ? 2 : 3;
  bool is_packed = video->num_elems > 1;
  if (decoder->num_types != num_types || (op == SET && relation < 0)) {
    tile_decode_unsupported(decoder, "types or relation");
    return;
  }
  video->relation = (VideoRelation)(relation < 0 ? 0 : relation);
  video->second = second_op >= 0 ? (VideoSecond)(PLUS + second_op)
                  : is_packed    ? MERGE
                                 : KEEP;
  video->saturates = tile_decode_has(decoder, "sat");
  video->wraps = tile_decode_has(decoder, "wrap");
  video->d_signed = op != SET && tile_emu_type_is_signed(decoder->types[0]);
  video->a.is_signed = tile_emu_type_is_signed(decoder->types[num_types - 2]);
  video->b.is_signed = tile_emu_type_is_signed(decoder->types[num_types - 1]);
  // Hardware clamps these otherwise than the ISA says.
  bool is_doubtful =
      !is_packed && (video->second > PLUS ||
                     (video->saturates && (op == SHL || !video->d_signed ||
                                           decoder->ops[0]->selector.length)));
  if (is_doubtful)
    tile_decode_unsupported(decoder, "min and max of results, and .sat of "
                                     "shifts, unsigned results and parts");
  else if (tile_decode_count(decoder, video->second == KEEP ? 3 : 4, 4))
    decode_operands(decoder, video);
}

void tile_emu_decode_vmad(TileDecoder *decoder) {
  struct TileVideo *video =
      TILE_ARENA_NEW(&decoder->parser->module->arena, struct TileVideo, 1);
  TileInsn *insn = decoder->insn;
  tile_decode_allow(decoder, "sat po shr7 shr15");
  if (decoder->num_types != 3) {
    tile_decode_unsupported(decoder, "types");
    return;
  }
  if (!tile_decode_count(decoder, 4, 4))
    return;
  bool a_negated = decoder->ops[1]->negated,
       b_negated = decoder->ops[2]->negated;
  video->num_elems = 1;
  video->saturates = tile_decode_has(decoder, "sat");
  video->is_plus_one = tile_decode_has(decoder, "po");
  video->scale = tile_decode_has(decoder, "shr7")    ? 7
                 : tile_decode_has(decoder, "shr15") ? 15
                                                     : 0;
  video->negates_product = a_negated != b_negated;
  video->negates_c = decoder->ops[3]->negated;
  video->a.is_signed = tile_emu_type_is_signed(decoder->types[1]);
  video->b.is_signed = tile_emu_type_is_signed(decoder->types[2]);
  bool is_signed = video->a.is_signed || video->b.is_signed;
  video->d_signed = is_signed || video->negates_product || video->negates_c;
  if ((a_negated || b_negated || video->negates_c) && video->is_plus_one)
    tile_decode_fail(decoder, ".po and negated operands");
  else if (video->negates_c && !is_signed)
    // The ISA calls c unsigned and extends it as signed.
    tile_decode_unsupported(decoder, "unsigned product minus c");
  else {
    insn->exec = exec_vmad;
    insn->as.video = video;
    decode_pick(decoder, 1, 1, &video->a);
    decode_pick(decoder, 2, 1, &video->b);
    insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_B32);
    insn->a = decode_source(decoder, 1);
    insn->b = decode_source(decoder, 2);
    insn->c = decode_source(decoder, 3);
  }
}
