//===- Ptx.h - A parsed PTX module: kernels of decoded instructions -------===//
//
// Parsing turns text into instructions that run without looking anything up:
// every operand is the byte offset ("slot") of a register in the register
// file of a warp. Immediates, addresses of variables and special registers are
// constants that live in slots of the same file, so operands have no kinds
// when they are executed. A warp is never changed by another one, so constants
// are written once, when the warp starts.
//
//   32-bit and smaller registers: 32 lanes x 4 bytes
//   64-bit: 32 x 8, 128-bit: 32 x 16, predicates: one 4-byte mask
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_PTX_H
#define TILE_EMULATOR_PTX_H

#include "Emulator/Alu/Lanes.h"
#include "Emulator/HostMemory.h"
#include "Tile/Emulator.h"

typedef enum {
  TILE_PTX_NONE,
  TILE_PTX_B8,
  TILE_PTX_B16,
  TILE_PTX_B32,
  TILE_PTX_B64,
  TILE_PTX_B128,
  TILE_PTX_U8,
  TILE_PTX_U16,
  TILE_PTX_U32,
  TILE_PTX_U64,
  TILE_PTX_S8,
  TILE_PTX_S16,
  TILE_PTX_S32,
  TILE_PTX_S64,
  TILE_PTX_F16,
  TILE_PTX_F16X2,
  TILE_PTX_BF16,
  TILE_PTX_BF16X2,
  TILE_PTX_F32,
  TILE_PTX_F32X2,
  TILE_PTX_F64,
  TILE_PTX_TF32,
  TILE_PTX_E4M3,
  TILE_PTX_E5M2,
  TILE_PTX_E4M3X2,
  TILE_PTX_E5M2X2,
  TILE_PTX_U16X2,
  TILE_PTX_S16X2,
  TILE_PTX_PRED,
  TILE_PTX_NUM_TYPES
} TilePtxType;

typedef enum {
  TILE_SPACE_GENERIC,
  TILE_SPACE_GLOBAL,
  TILE_SPACE_SHARED,
  TILE_SPACE_SHARED_CLUSTER,
  TILE_SPACE_LOCAL,
  TILE_SPACE_PARAM,
  TILE_SPACE_CONST
} TilePtxSpace;

/// TILE_PTX_NONE when `word` (without the dot) names no type.
TilePtxType tile_emu_type_parse(const char *word);
/// 0 for predicates.
uint32_t tile_emu_type_bytes(TilePtxType type);
/// Bytes of one lane of a register of this type: 4, 8 or 16.
uint32_t tile_emu_type_register_bytes(TilePtxType type);
bool tile_emu_type_is_signed(TilePtxType type);
bool tile_emu_type_is_float(TilePtxType type); // scalar floating point

//===-- Instructions ------------------------------------------------------===//

typedef struct TileWarp TileWarp;
typedef struct TileInsn TileInsn;
typedef struct TileMmaShape TileMmaShape;
typedef struct TileWmmaAccess TileWmmaAccess;

/// Executes an instruction for `lanes`, which is never empty. Returns the
/// lanes that could not execute it yet; they have been marked as waiting and
/// execute the same instruction again later.
typedef TileLanes (*TileExec)(TileWarp *warp, const TileInsn *insn,
                              TileLanes lanes);

#define TILE_NO_SLOT 0xffffffffu
#define TILE_NO_REGISTER 0xffffffffu

enum {
  TILE_INSN_LEADER = 1,       // begins a basic block
  TILE_INSN_BRANCH = 2,       // bra, to `target`
  TILE_INSN_BRANCH_TABLE = 4, // brx.idx, through `vec`
  TILE_INSN_EXIT = 8,         // ret and exit
  TILE_INSN_WGMMA = 16,       // may touch registers of wgmma in flight
  TILE_INSN_COPY = 32,        // register copy, which ptxas coalesces
  TILE_INSN_JUMP = 64,        // call, and ret of a function: sets the pcs
  TILE_INSN_UNSUPPORTED = 128,
  TILE_INSN_CONTROL = TILE_INSN_BRANCH | TILE_INSN_EXIT | TILE_INSN_JUMP
};

struct TileInsn {
  TileExec exec;
  uint32_t dst, dst2;      // slots
  uint32_t a, b, c, e;     // slots
  int64_t offset;          // added to the address in `a`
  int64_t offset2;         // added to the second address
  int64_t imm;             // immediate operand
  const uint32_t *vec;     // slots of vector operands
  uint16_t num_vec;        //
  uint8_t flags;           // TILE_INSN_…
  uint8_t type, type2;     // TilePtxType
  uint8_t space;           // TilePtxSpace
  uint8_t role;            // TileRole, of undefined values
  bool touches_loaded;     // registers that some load writes
  uint32_t load;           // number of a load, from 1; DeadRead.h
  bool guard_negated;      //
  uint32_t guard;          // slot of a predicate or TILE_NO_SLOT
  uint32_t guard_id;       // its register id
  uint32_t target;         // index of the instruction
  uint32_t line;           // of the PTX text
  uint32_t source_file;    // of .loc; 0: none
  uint32_t source_line;    //
  const char *opcode;      // with modifiers
  uint16_t num_dst_regs;   // of reg_ids, destinations come first
  uint16_t num_regs;       //
  uint16_t num_issue_regs; // and those that wgmma reads when it is issued
  const uint32_t *reg_ids;
  const uint32_t *reg_slots; // of the same registers
  union {                    // modifiers, by unit
    struct {
      uint8_t mode;
      bool wrap;
      bool a_signed, b_signed;
    } alu;
    struct {
      const TileInsn *plain; // the operation without its modifiers
      uint8_t rounding;
      uint8_t flags; // TileFloatModifier
      uint8_t num_sources;
    } modified;
    struct {
      uint8_t elem_bits, total_bytes;
      bool is_signed;
    } pack;
    struct {
      uint8_t relation, combine;
      bool combine_negated, flush;
      TileExec test;
    } compare;
    struct {
      uint8_t rounding;
      bool saturate, saturate_finite, relu, flush, wide_dst, wide_src;
    } convert;
    struct {
      uint8_t count, elem_bytes, reg_bytes;
      bool wide_address, sign_extend, transposed;
      bool is_strong; // says relaxed, acquire, release, volatile
      bool is_volatile, releases;
      uint8_t op;
    } memory;
    struct {
      uint8_t size_bytes;
      bool wide_address, is_noinc;
    } cp_async;
    struct {
      bool is_tensor, is_multicast, wide_address, wide_mbarrier, wide_source;
      uint8_t mode, rank; // TileTensorMode
      uint8_t reduction;  // 1 + TileAtomicOp, 0: plain store
    } tma;
    struct {
      uint8_t elem_bytes;
      uint8_t reduction; // as of `tma`
      bool wide_address, wide_mbarrier;
    } st_async;
    struct {
      bool is_read, is_all;
    } wait;
    struct {
      uint8_t op;
      bool has_count, is_relaxed, is_parity, wide_address, is_remote;
    } mbarrier;
    struct {
      uint8_t op;
      bool has_count, is_aligned, is_relaxed, negated;
    } barrier;
    struct {
      uint8_t mode, elem_bytes;
      bool negated;
    } collective;
    const TileMmaShape *shape;  // mma, wmma.mma
    const TileWmmaAccess *wmma; // wmma.load, wmma.store
    struct {
      uint16_t n;
      uint8_t k, num_d, num_a, d_type;
      bool negate_product, transpose_a, transpose_b, satfinite;
      bool is_sparse;
      uint8_t selector; // of the metadata
    } wgmma;
    const struct TileCallSite *call;
    const struct TileVideo *video;
    const char *text; // callee; reason why it is not supported
  } as;
};

//===-- Constants of the register file ------------------------------------===//

typedef enum {
  TILE_CONSTANT_VALUE,
  TILE_CONSTANT_SHARED,         // address of a static .shared variable
  TILE_CONSTANT_SHARED_DYNAMIC, // address of an .extern .shared variable
  TILE_CONSTANT_PARAM,          // address of a kernel parameter
  TILE_CONSTANT_LOCAL,          // address of a .local or .param variable
  TILE_CONSTANT_SPECIAL,        // value: TileSpecial
  TILE_CONSTANT_SCRATCH         // destination `_`
} TileConstantKind;

/// The first ones are triples: +0 x, +1 y, +2 z.
typedef enum {
  TILE_SPECIAL_TID = 0,
  TILE_SPECIAL_NTID = 3,
  TILE_SPECIAL_CTAID = 6,
  TILE_SPECIAL_NCTAID = 9,
  TILE_SPECIAL_CLUSTERID = 12,
  TILE_SPECIAL_NCLUSTERID = 15,
  TILE_SPECIAL_CLUSTER_CTAID = 18,
  TILE_SPECIAL_CLUSTER_NCTAID = 21,
  TILE_SPECIAL_CLUSTER_CTARANK = 24,
  TILE_SPECIAL_CLUSTER_NCTARANK = 25,
  TILE_SPECIAL_IS_EXPLICIT_CLUSTER = 26,
  TILE_SPECIAL_LANEID = 27,
  TILE_SPECIAL_WARPID = 28,
  TILE_SPECIAL_NWARPID = 29,
  TILE_SPECIAL_SMID = 30,
  TILE_SPECIAL_NSMID = 31,
  TILE_SPECIAL_GRIDID = 32,
  TILE_SPECIAL_LANEMASK_EQ = 33,
  TILE_SPECIAL_LANEMASK_LT = 34,
  TILE_SPECIAL_LANEMASK_LE = 35,
  TILE_SPECIAL_LANEMASK_GT = 36,
  TILE_SPECIAL_LANEMASK_GE = 37,
  TILE_SPECIAL_DYNAMIC_SMEM_SIZE = 38,
  TILE_SPECIAL_TOTAL_SMEM_SIZE = 39,
  TILE_SPECIAL_ENVREG = 40,
  TILE_SPECIAL_RESERVED_BEGIN = 42,
  TILE_SPECIAL_RESERVED_END = 43,
  TILE_SPECIAL_WORKSPACE_HIGH = 44,
  TILE_SPECIAL_WORKSPACE_LOW = 45,
  TILE_SPECIAL_CLOCK = 41 // changes with every read; only `mov` reads it
} TileSpecial;

typedef struct {
  uint8_t kind;       // TileConstantKind
  uint8_t size_bytes; // of a lane
  uint32_t slot;
  uint64_t value; // or offset from the variable
} TileConstant;

//===-- Kernels and modules -----------------------------------------------===//

#define TILE_NOT_PLACED UINT64_MAX

typedef struct {
  const char *name;
  TilePtxSpace space;
  bool is_extern, is_module_scope;
  uint32_t align_bytes;
  uint64_t size_bytes;
  uint64_t place; // host address (global, const), offset (shared, local)
  uint8_t *init;
} TileSymbol;

typedef struct {
  const char *name;
  uint32_t offset_bytes, size_bytes;
} TileSharedVariable;

typedef struct {
  const char *name;
  TileInsn *code;
  uint32_t num_insns;
  uint32_t register_file_bytes;
  const char **register_names; // by register id
  uint8_t *register_bits;      // by register id, of those that are used
  uint32_t num_registers;
  uint32_t *maybe_undefined; // registers that some path reads first
  uint32_t num_maybe_undefined;
  uint32_t num_loads; // of registers, from shared or global memory
  TileConstant *constants;
  uint32_t num_constants;
  TileEmuParam *params;
  uint32_t num_params;
  uint32_t param_bytes;
  uint32_t static_smem_bytes, dynamic_smem_align;
  TileSharedVariable *shared_variables;
  uint32_t num_shared_variables;
  uint32_t local_bytes, local_stride_bytes; // of a thread; to the next one
  uint32_t reqntid[3], maxntid[3], cluster[3];
  uint32_t maxnreg, minnctapersm; // 0: not given
  uint32_t max_inc_registers;     // of setmaxnreg.inc; 0: there is none
  bool has_wgmma, has_cp_async, has_bulk_store;
  bool has_try_cancel;             // its clusters take others of the grid
  bool has_ordered_updates;        // of global memory: who comes first counts
  bool has_stack;                  // uses alloca
  struct TileFunction **functions; // that it calls, directly or not
  uint32_t num_functions;
  uint32_t stack_first; // local memory of recursive functions and alloca
} TileKernel;

struct TileEmuModule {
  TileArena arena;
  const char *name;
  TileKernel **kernels;
  uint32_t num_kernels;
  TileEmuKernelInfo *infos; // parallel to kernels
  TileSymbol *symbols;
  uint32_t num_symbols;
  const char **files; // of .file; index 0 is not used
  uint32_t num_files;
};

#endif // TILE_EMULATOR_PTX_H
