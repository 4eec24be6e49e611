//===- Decode.h - From parsed operands to an executable instruction -------===//
//
// Every instruction has a decoder: it checks the operands and fills the
// TileInsn. The helpers below report malformed operands at the PTX line.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_DECODE_H
#define TILE_EMULATOR_DECODE_H

#include "Parser.h"

enum {
  TILE_DECODE_MAX_WORDS = 24,
  TILE_DECODE_MAX_TYPES = 6,
  TILE_DECODE_MAX_REGISTERS = 2 * TILE_PTX_MAX_VECTOR + 64
};

typedef struct {
  TileParser *parser;
  TileInsn *insn;
  TileOperand *const *ops;
  uint32_t num_ops;
  const char *opcode;
  const char *words[TILE_DECODE_MAX_WORDS]; // opcode split at dots
  uint32_t num_words;
  TilePtxType types[TILE_DECODE_MAX_TYPES]; // those among the words
  uint32_t num_types;
  bool is_hint;                                  // needs no execution
  const char *unsupported_reason;                // NULL: supported
  uint32_t registers[TILE_DECODE_MAX_REGISTERS]; // ids, destinations first
  uint32_t register_slots[TILE_DECODE_MAX_REGISTERS];
  uint32_t num_registers, num_dst_registers;
  uint32_t num_issue_registers; // as of TileInsn; 0: no more than the others
} TileDecoder;

typedef void (*TileDecode)(TileDecoder *decoder);

/// The instruction is malformed.
void tile_decode_fail(TileDecoder *decoder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/// The instruction is legal but not implemented; `reason` is not copied.
void tile_decode_unsupported(TileDecoder *decoder, const char *reason);

/// Words of the opcode that are neither types nor in the list (separated by
/// spaces) make the instruction unsupported.
void tile_decode_allow(TileDecoder *decoder, const char *modifiers);
bool tile_decode_has(const TileDecoder *decoder, const char *word);
/// Index of the first of `choices` that is a word of the opcode, or -1.
int tile_decode_choice(const TileDecoder *decoder, const char *const *choices,
                       uint32_t num_choices);
/// The word m…n…k… of the opcode; false when there is none.
bool tile_decode_shape(const TileDecoder *decoder, uint32_t out_mnk[3]);
/// Checks the number of operands.
bool tile_decode_count(TileDecoder *decoder, uint32_t min, uint32_t max);
/// The same where `.L2::cache_hint` asks for a cache policy after them, which
/// is checked; it changes nothing that programs can see.
bool tile_decode_count_hinted(TileDecoder *decoder, uint32_t min, uint32_t max);
/// The state space named in the opcode, generic when none is.
TilePtxSpace tile_decode_space(const TileDecoder *decoder);
/// Type number `index` of the opcode, or TILE_PTX_NONE.
static inline TilePtxType tile_decode_type(const TileDecoder *decoder,
                                           uint32_t index) {
  return index < decoder->num_types ? decoder->types[index] : TILE_PTX_NONE;
}

/// Slot of operand `index` as source or destination of `type`.
uint32_t tile_decode_src(TileDecoder *decoder, uint32_t index,
                         TilePtxType type);
uint32_t tile_decode_dst(TileDecoder *decoder, uint32_t index,
                         TilePtxType type);
/// The same for an operand that is not at the top level.
uint32_t tile_decode_src_of(TileDecoder *decoder, const TileOperand *operand,
                            TilePtxType type);
uint32_t tile_decode_dst_of(TileDecoder *decoder, const TileOperand *operand,
                            TilePtxType type);
/// A predicate, or an integer that means true or false.
uint32_t tile_decode_pred_src(TileDecoder *decoder, uint32_t index,
                              bool *out_negated);
/// Destination predicate after `|`; TILE_NO_SLOT when there is none.
uint32_t tile_decode_pair_pred(TileDecoder *decoder, uint32_t index);
int64_t tile_decode_immediate(TileDecoder *decoder, uint32_t index);

/// `[register + offset]` or `[variable]`. Shared addresses are 32-bit
/// constants; registers may have 32 or 64 bits.
typedef struct {
  uint32_t slot;
  int64_t offset;
  bool is_wide;
  bool is_param; // a kernel parameter: `offset` is inside the block
} TileDecodedAddress;
TileDecodedAddress tile_decode_address(TileDecoder *decoder,
                                       const TileOperand *operand,
                                       TilePtxSpace space);
/// tile_decode_address of operand `index` into insn->a and insn->offset.
TileDecodedAddress tile_decode_address_a(TileDecoder *decoder, uint32_t index,
                                         TilePtxSpace space);

/// Slots of the elements of one or more operands, as insn->vec. `_` is
/// TILE_NO_SLOT in destinations.
typedef struct {
  uint32_t *slots;
  uint32_t count;
} TileSlotList;
void tile_decode_list_add(TileDecoder *decoder, TileSlotList *list,
                          const TileOperand *operand, TilePtxType type,
                          bool is_dst);
void tile_decode_list_finish(TileDecoder *decoder, const TileSlotList *list);

//===-- Decoders, by file -------------------------------------------------===//

void tile_emu_decode_arithmetic(TileDecoder *decoder); // AluArithmetic.c
void tile_emu_decode_carry(TileDecoder *decoder);      // AluCarry.c
void tile_emu_decode_logic(TileDecoder *decoder);      // AluBits.c
void tile_emu_decode_shift(TileDecoder *decoder);
void tile_emu_decode_mask(TileDecoder *decoder);
void tile_emu_decode_bits(TileDecoder *decoder); // AluBits.c
void tile_emu_decode_mov(TileDecoder *decoder);  // AluMove.c
void tile_emu_decode_setp(TileDecoder *decoder); // AluCompare.c
void tile_emu_decode_set(TileDecoder *decoder);
void tile_emu_decode_selp(TileDecoder *decoder);
void tile_emu_decode_slct(TileDecoder *decoder);
void tile_emu_decode_testp(TileDecoder *decoder);
void tile_emu_decode_cvt(TileDecoder *decoder);      // AluConvert.c
void tile_emu_decode_cvt_pack(TileDecoder *decoder); // AluConvert.c
void tile_emu_decode_video(TileDecoder *decoder);    // AluVideo.c
void tile_emu_decode_vmad(TileDecoder *decoder);     // AluVideo.c
void tile_emu_decode_ld(TileDecoder *decoder);       // LoadStore.c
void tile_emu_decode_st(TileDecoder *decoder);
void tile_emu_decode_st_async(TileDecoder *decoder); // Dsmem.c
void tile_emu_decode_red_async(TileDecoder *decoder);
void tile_emu_decode_atom(TileDecoder *decoder); // Atomic.c
void tile_emu_decode_red(TileDecoder *decoder);
void tile_emu_decode_cvta(TileDecoder *decoder); // Address.c
void tile_emu_decode_isspacep(TileDecoder *decoder);
void tile_emu_decode_mapa(TileDecoder *decoder);
void tile_emu_decode_getctarank(TileDecoder *decoder);
void tile_emu_decode_ldmatrix(TileDecoder *decoder); // MatrixMove.c
void tile_emu_decode_stmatrix(TileDecoder *decoder);
void tile_emu_decode_movmatrix(TileDecoder *decoder);
void tile_emu_decode_cp_async(TileDecoder *decoder);        // CpAsync.c
void tile_emu_decode_cp_async_bulk(TileDecoder *decoder);   // Tma.c
void tile_emu_decode_cluster_launch_control(TileDecoder *); // ClusterCancel.c
void tile_emu_decode_bar(TileDecoder *decoder);             // Barrier.c
void tile_emu_decode_bar_warp(TileDecoder *decoder);
void tile_emu_decode_barrier_cluster(TileDecoder *decoder); // Barrier.c
void tile_emu_decode_tensormap(TileDecoder *decoder); // TensorMapReplace.c
void tile_emu_decode_fence(TileDecoder *decoder);     // Fence.c
void tile_emu_decode_mbarrier(TileDecoder *decoder);  // Mbarrier.c
void tile_emu_decode_shfl(TileDecoder *decoder);      // Collective.c
void tile_emu_decode_vote(TileDecoder *decoder);
void tile_emu_decode_match(TileDecoder *decoder);
void tile_emu_decode_redux(TileDecoder *decoder);
void tile_emu_decode_activemask(TileDecoder *decoder);
void tile_emu_decode_elect(TileDecoder *decoder);
void tile_emu_decode_mma(TileDecoder *decoder);   // Mma.c
void tile_emu_decode_wmma(TileDecoder *decoder);  // Wmma.c
void tile_emu_decode_wgmma(TileDecoder *decoder); // Wgmma.c
void tile_emu_decode_call(TileDecoder *decoder);  // Calls.c
void tile_emu_decode_stack(TileDecoder *decoder); // Calls.c
void tile_emu_decode_exit(TileDecoder *decoder);  // Control.c
void tile_emu_decode_trap(TileDecoder *decoder);
void tile_emu_decode_hint(TileDecoder *decoder);
void tile_emu_decode_setmaxnreg(TileDecoder *decoder); // RegisterPool.c
void tile_emu_decode_createpolicy(TileDecoder *decoder);

#endif // TILE_EMULATOR_DECODE_H
