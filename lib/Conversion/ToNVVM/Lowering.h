//===- Lowering.h - State and control flow of the lowering of a kernel ----===//
//
// The lowering is a walk over the ops of a kernel whose control flow is in
// `cf`. Each op has one `lower_<op>` function (LoweredOps.h). Scalar integer
// arithmetic is emitted in `arith` on i32 (i64 for global addresses); upstream
// conversions turn it into `llvm` afterwards. Memref-like values are not SSA
// values any more: a side table holds what is known of them
// (Memory/Memories.h).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_LOWERING_H
#define TILE_CONVERSION_LOWERING_H

#include "Conversion/Conversion.h"
#include "Support/Arena.h"
#include "Target/Target.h"

//===-- The state ---------------------------------------------------------===//

// Of Memory/Memories.h.
struct Memory;
struct Parts;
struct WindowFacts;

enum { MAX_WARPS = 32 }; // of a block

typedef struct {
  TileArena *arena;
  const TileTarget *target;
  TileBuilder b; // before the op that is being lowered
  TileIntMath i32, i64;
  MlirOperation func;    // the llvm.func
  MlirOperation prolog;  // marker in the entry block: what dominates all goes
                         // before it
  int64_t block_size[3]; // threads; 0: not known
  int64_t kernel_threads;
  int64_t thread_registers;        // what ptxas gives each at launch
  int64_t first_warp, num_threads; // of those that execute the op: its role
  bool is_thread_code;             // scalar stores are those of every thread
  // i32, made on demand; by the first warp of those that execute the op.
  MlirValue thread_id[MAX_WARPS], warp_id[MAX_WARPS], lane_id;
  MlirBlock after_angle; // follows the branch for the last angle
  MlirValue print_array; // arguments of vprintf, made on demand
  // Policies of L2 by TileEviction, made on demand (i64), and that with which
  // the op that is being lowered accesses global memory (null: none).
  MlirValue policies[3], policy;
  struct Memory *memories;
  struct Parts *parts;
  struct WindowFacts *windows;
  MlirLogicalResult result; // failure: an error was emitted
} Lowering;

//===-- Types and errors (Lowering.c) -------------------------------------===//

MlirType type_i1(Lowering *l);
MlirType type_i32(Lowering *l);
MlirType type_int(Lowering *l, int64_t bits);
MlirType type_i64(Lowering *l);
MlirType type_pointer(Lowering *l, unsigned address_space);
/// The type in which an element is stored: i1 and 8-bit floats are i8.
MlirType type_stored(Lowering *l, MlirType element);
/// The letter of inline assembly for registers of numbers of this type; those
/// of 8 bits are extended to 16.
char register_class(MlirType type);
/// A number of 16, 32 or 64 bits which LLVM computes here, and not where it is
/// used; other values as they are.
MlirValue value_pinned(Lowering *l, MlirValue value);
/// Reports a failure of the lowering at `op`.
void lower_fail(Lowering *l, MlirOperation op, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/// The same for what only we can fix.
void lower_fail_internal(Lowering *l, MlirOperation op, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

//===-- Ids, and code that not every thread executes (Threads.c) ----------===//

MlirValue thread_id(Lowering *l);       // linear in the block, or in the role
MlirValue block_thread_id(Lowering *l); // linear in the block
MlirValue lane_id(Lowering *l);
MlirValue warp_id(Lowering *l); // in the block or the role; uniform in the warp
/// Branches and loops split the block before an op; this op stands where
/// no other does.
MlirOperation anchor_begin(Lowering *l);
/// Ends it: what follows is emitted after it.
void anchor_end(Lowering *l, MlirOperation anchor);
/// Code emitted until `if_end` runs where `condition` (i1) holds.
typedef struct {
  MlirBlock body, after;
} IfBlocks;
IfBlocks if_begin(Lowering *l, MlirOperation op, MlirValue condition);
void if_end(Lowering *l, MlirOperation op, IfBlocks blocks);
/// Two arms: emit the first, call `else_begin`, emit the second, `else_end`.
typedef struct {
  MlirBlock then_body, else_body, after;
} ElseBlocks;
ElseBlocks if_else_begin(Lowering *l, MlirOperation op, MlirValue condition);
void else_begin(Lowering *l, ElseBlocks blocks);
void else_end(Lowering *l, MlirOperation op, ElseBlocks blocks);
/// Code emitted until `loop_end` runs `count` >= 1 times; returns the counter.
typedef struct {
  MlirBlock body, after;
  MlirValue counter; // i32
  int64_t count;
} LoopBlocks;
LoopBlocks loop_begin(Lowering *l, MlirOperation op, int64_t count);
void loop_end(Lowering *l, MlirOperation op, LoopBlocks blocks);
/// True in one thread of the block, or of the role.
MlirValue is_elected(Lowering *l);
/// A variable for what loops carry; LLVM promotes it.
MlirValue local_variable(Lowering *l, MlirType type);
MlirValue local_get(Lowering *l, MlirValue variable, MlirType type);
void local_set(Lowering *l, MlirValue variable, MlirValue value);

MlirValue and_maybe(Lowering *l, MlirValue a, MlirValue b); // null: true

// WarpMeets.c
/// Has the threads of a warp meet again where one of them has issued TMA in an
/// arm of a conditional. Before any op is lowered.
void warps_meet(Lowering *l);

#endif // TILE_CONVERSION_LOWERING_H
