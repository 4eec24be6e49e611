//===- Instruction.h - What the rules of instructions have in common ------===//
#ifndef TILE_ANALYSIS_INSTRUCTION_H
#define TILE_ANALYSIS_INSTRUCTION_H

#include "Instructions.h"
#include "Layout/LayoutAccess.h"

/// The code of what only we can fix.
#define INSTR_INTERNAL "internal"

/// Gives a reason for what verifiers exclude; false.
bool instr_refuse_internal(TileReason *out, const char *what);

/// Whether a tensor is there before the kernel that uses it is launched.
bool instr_is_of_host(MlirValue tensor);

/// Whether the host can make a tensor map of `tensor`; if not, why.
bool instr_has_map(MlirValue tensor, const TileInstrContext *context,
                   TileReason *out);

/// Whether TMA can store to `tensor`, whose rows are aligned, without writing
/// beside the last elements of rows; if not, why.
bool instr_stores_rows(MlirValue tensor, TileReason *out);

/// Whether rows of a window, in a tensor whose rows are aligned to `row_align`
/// bytes, start at multiples of `bytes`, as `what` needs; if not, why.
bool instr_window_is_aligned(MlirValue window, int64_t row_align, int bytes,
                             const char *what, TileReason *out);

/// Whether the slots of the ring behind `tile`, if its layout is given, begin
/// where boxes can.
bool instr_slots_suit_tma(MlirValue tile, const TileLayoutTma *tma,
                          TileReason *out_error);
/// Whether boxes of TMA can have this layout of `tile`; a null value stands for
/// one whose layout is open.
bool instr_suits_tma(MlirValue tile, const TileShape *shape,
                     const TileLayout *layout, TileReason *out_error);

#endif // TILE_ANALYSIS_INSTRUCTION_H
