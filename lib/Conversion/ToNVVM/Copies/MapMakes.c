//===- MapMakes.c - Tensor maps that a kernel makes -----------------------===//
//
// The thread that issues the copies puts a map together in shared memory, where
// tensormap.replace is quick, copies it to global memory, where TMA reads maps,
// and orders the two proxies (PTX ISA, tensormap.replace; "membar / fence",
// fence.proxy.tensormap). What the map describes is kept in variables of each
// thread, to tell when it has to be made again.
//
//===----------------------------------------------------------------------===//

#include "Conversion/ToNVVM/LoweredOps.h"
#include "Copies.h"

#include "Support/Constants.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/nvvm.h"

enum { MAP_BYTES = 128, PIECE_BYTES = 16, MAP_WORDS = 16 };

//===-- tile.map_place ----------------------------------------------------===//

// The condition that a number of the tensor is another one than before; null:
// it is constant.
static MlirValue number_changes(Lowering *l, TileInt number, MlirType type) {
  if (tile_int_is_constant(number))
    return TILE_NULL_VALUE;
  MlirValue variable = local_variable(l, type);
  MlirValue before = local_get(l, variable, type);
  local_set(l, variable, number.value);
  return arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_ne,
                    .lhs = number.value, .rhs = before);
}

// Of each thread, 0 at the beginning of the kernel.
static MlirValue variable_from_zero(Lowering *l, MlirOperation op, int bits) {
  MlirValue variable =
      local_variable(l, bits == 64 ? type_i64(l) : type_i32(l));
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, l->prolog);
  local_set(l, variable, tile_const_int(&l->b, 0, bits));
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, op);
  return variable;
}

// No tensor has the address 0.
static MlirValue address_changes(Lowering *l, MlirOperation op,
                                 const Memory *tensor) {
  MlirType i64 = type_i64(l);
  MlirValue variable = variable_from_zero(l, op, 64);
  MlirValue address = llvm_ptrtoint(&l->b, .type = i64, .arg = tensor->pointer);
  MlirValue before = local_get(l, variable, i64);
  local_set(l, variable, address);
  return arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_ne,
                    .lhs = address, .rhs = before);
}

static MlirValue or_maybe(Lowering *l, MlirValue a, MlirValue b) {
  return b.ptr ? arith_ori(&l->b, a, b) : a;
}

static MlirValue map_changes(Lowering *l, MlirOperation op,
                             const Memory *tensor) {
  MlirValue changes = address_changes(l, op, tensor);
  for (int d = 0; d < tensor->rank; d++) {
    changes =
        or_maybe(l, changes, number_changes(l, tensor->extent[d], type_i32(l)));
    if (d + 1 < tensor->rank)
      changes = or_maybe(l, changes,
                         number_changes(l, tensor->stride[d], type_i64(l)));
  }
  return changes;
}

// The words from the first of the two rows to the one in use.
static TileInt take_turns(Lowering *l, TileMapPlaceOp place,
                          const Memory *tensor) {
  MlirValue turn = variable_from_zero(l, place.op, 32);
  MlirValue changes = map_changes(l, place.op, tensor);
  MlirValue before = local_get(l, turn, type_i32(l));
  MlirValue other =
      arith_xori(&l->b, before, tile_const_int(&l->b, MAP_WORDS, 32));
  MlirValue now = arith_select(&l->b, changes, other, before);
  local_set(l, turn, now);
  mlirRewriterBaseReplaceAllUsesWith(l->b.rw, tile_map_place_changes(place),
                                     changes);
  return tile_int_value(now);
}

void lower_tile_map_place(Lowering *l, MlirOperation op) {
  TileMapPlaceOp place = tile_map_place_cast(op);
  Memory *maps = memory_find(l, tile_map_place_maps(place));
  Memory *tensor = memory_find(l, tile_map_place_tensor(place));
  if (!maps || !tensor) {
    lower_fail_internal(l, op, "names memory that is not known");
    return;
  }
  TileInt word = tile_int_mul(
      &l->i32, index_operand(l, tile_map_place_place(place)), 2 * MAP_WORDS);
  if (tile_value_is_used(tile_map_place_changes(place)))
    word = tile_int_add(&l->i32, word, take_turns(l, place, tensor));
  MlirValue pointer = element_pointer(l, maps->pointer, maps->element, word);
  memory_add(
      l, tile_map_place_map(place), TILE_SPACE_GLOBAL, maps->element,
      llvm_addrspacecast(&l->b, .type = type_pointer(l, 0), .arg = pointer));
}

//===-- tile.map_make -----------------------------------------------------===//

static void replace(Lowering *l, const char *field, int ordinal, int bits,
                    MlirValue stage, MlirValue value) {
  char text[128], number[16] = "";
  if (ordinal >= 0)
    snprintf(number, sizeof number, "%d, ", ordinal);
  snprintf(text, sizeof text,
           "tensormap.replace.tile.%s.shared::cta.b1024.b%d [$0], %s$1;", field,
           bits, number);
  llvm_inline_asm_op(
      &l->b, .operands = TILE_VALUES(stage, value), .asm_string = text,
      .constraints = bits == 64 ? "r,l,~{memory}" : "r,r,~{memory}",
      .has_side_effects = true);
}

// Dimensions of a map count from the contiguous one. No map has an extent of 0.
static void replace_fields(Lowering *l, MlirValue stage, const Memory *tensor) {
  MlirType i64 = type_i64(l);
  MlirValue one = tile_const_int(&l->b, 1, 32);
  int64_t elem_bytes = tile_elem_bits(tensor->element) / 8;
  replace(l, "global_address", -1, 64, stage,
          llvm_ptrtoint(&l->b, .type = i64, .arg = tensor->pointer));
  for (int d = tensor->rank - 1, at = 0; d >= 0; d--, at++) {
    MlirValue extent = tile_int_get(&l->i32, tensor->extent[d]);
    replace(l, "global_dim", at, 32, stage, arith_maxsi(&l->b, extent, one));
    if (d + 1 == tensor->rank)
      continue;
    TileInt bytes = tile_int_mul(&l->i64, tensor->stride[d], elem_bytes);
    replace(l, "global_stride", at - 1, 64, stage,
            tile_int_get(&l->i64, bytes));
  }
}

static MlirValue piece_at(Lowering *l, MlirValue base, int64_t byte) {
  return element_pointer(l, base, type_bits(l, 1), tile_int_constant(byte));
}

static void copy_like(Lowering *l, MlirValue like, MlirValue stage) {
  MlirType type = type_bits(l, PIECE_BYTES);
  for (int64_t at = 0; at < MAP_BYTES; at += PIECE_BYTES) {
    MlirValue piece =
        llvm_load(&l->b, .type = type, .addr = piece_at(l, like, at),
                  .alignment = TILE_SOME(PIECE_BYTES));
    store_bits(l, piece, piece_at(l, stage, at),
               space_number(TILE_SPACE_SHARED), PIECE_BYTES, TILE_NULL_VALUE);
  }
}

static void copy_to_place(Lowering *l, MlirValue stage, MlirValue place) {
  for (int64_t at = 0; at < MAP_BYTES; at += PIECE_BYTES) {
    MlirValue piece =
        load_bits(l, piece_at(l, stage, at), space_number(TILE_SPACE_SHARED),
                  PIECE_BYTES, TILE_NULL_VALUE);
    store_bits(l, piece, piece_at(l, place, at),
               space_number(TILE_SPACE_GLOBAL), PIECE_BYTES, TILE_NULL_VALUE);
  }
}

void lower_tile_map_make(Lowering *l, MlirOperation op) {
  TileMapMakeOp make = tile_map_make_cast(op);
  MlirValue key = tile_map_make_map(make);
  Memory *map = memory_find(l, key);
  Memory *like = memory_find(l, tile_map_make_like(make));
  Memory *stage = memory_find(l, tile_map_make_stage(make));
  if (!map || !like || !stage) {
    lower_fail_internal(l, op, "names memory that is not known");
    return;
  }
  const Memory *tensor = memory_find(
      l, tile_map_place_tensor(tile_map_place_cast(mlirOpResultGetOwner(key))));
  IfBlocks blocks = if_begin(l, op, is_elected(l));
  nvvm_cp_async_bulk_wait_group_op(&l->b, .group = 0);
  copy_like(l, like->pointer, stage->pointer);
  replace_fields(
      l, llvm_ptrtoint(&l->b, .type = type_i32(l), .arg = stage->pointer),
      tensor);
  copy_to_place(l, stage->pointer,
                llvm_addrspacecast(&l->b, .type = type_pointer(l, 1),
                                   .arg = map->pointer));
  nvvm_fence_proxy_release_op(&l->b, .scope = NVVM_MEM_SCOPE_KIND_GPU);
  nvvm_fence_proxy_acquire_op(&l->b, .scope = NVVM_MEM_SCOPE_KIND_GPU,
                              .addr = map->pointer,
                              .size = tile_const_int(&l->b, MAP_BYTES, 32));
  if_end(l, op, blocks);
}
