//===- support-dtype-test.c - The table of element types ------------------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "Support/DtypeTable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const TileDtypeInfo *row(int i) { return tile_dtype_info((TileDtype)i); }

static void every_row_is_whole(void **state) {
  (void)state;
  for (int i = 0; i < TILE_NUM_DTYPES; i++) {
    const TileDtypeInfo *info = row(i);
    assert_int_equal(info->dtype, i);
    assert_ptr_equal(tile_dtype_named(info->name), info);
    bool is_byte = info->bits == 1 || tile_dtype_info_is_packed(info);
    assert_int_equal(8 * info->size_bytes, is_byte ? 8 : info->bits);
    assert_int_equal(tile_dtype_info_is_packed(info),
                     info->bits == 4 || info->bits == 6);
    if (tile_dtype_info_is_packed(info)) // they fill whole bytes
      assert_int_equal(tile_dtype_info_pack(info) * info->bits,
                       8 * tile_dtype_info_pack_bytes(info));
    assert_non_null(info->ptx);
  }
  assert_null(tile_dtype_named("f128"));
  assert_null(tile_dtype_named(""));
}

static void floats_fill_their_bits(void **state) {
  (void)state;
  for (int i = 0; i < TILE_NUM_DTYPES; i++) {
    const TileFloatFormat *f = &row(i)->format;
    int bits = f->exponent_bits + f->mantissa_bits + f->unused_bits;
    if (tile_dtype_info_is_float(row(i)))
      assert_int_equal(!f->is_unsigned + bits, row(i)->bits);
    else
      assert_int_equal(bits, 0);
  }
  assert_int_equal(tile_float_bias(&row(TILE_DTYPE_F16)->format), 15);
  assert_int_equal(tile_float_bias(&row(TILE_DTYPE_F64)->format), 1023);
}

// "s8", "bf16", "e4m3": the kind and the bits.
static int ptx_bits(const char *name) {
  if (strcmp(name, "ue8m0") == 0)
    return 8;
  if (name[0] == 'e')
    return 1 + atoi(name + 1) + atoi(name + 3);
  return atoi(name + strcspn(name, "0123456789"));
}

static void ptx_types_have_the_bits(void **state) {
  (void)state;
  for (int i = 0; i < TILE_NUM_DTYPES; i++) {
    const TileDtypeInfo *info = row(i);
    bool is_unsigned = info->ptx[0] == 'u' && info->ptx[1] != 'e',
         is_signed = info->ptx[0] == 's';
    bool is_packed_float =
        tile_dtype_info_is_packed(info) && tile_dtype_info_is_float(info);
    assert_int_equal(ptx_bits(info->ptx),
                     is_packed_float ? info->bits : 8 * info->size_bytes);
    assert_int_equal(is_unsigned, info->kind == TILE_NUMBER_UNSIGNED);
    assert_int_equal(is_signed, info->kind == TILE_NUMBER_SIGNED);
    if (info->factor)
      assert_int_equal(ptx_bits(info->factor), info->bits);
  }
}

static void factors_have_sums(void **state) {
  (void)state;
  for (int i = 0; i < TILE_NUM_DTYPES; i++) {
    const TileDtypeInfo *info = row(i);
    assert_int_equal(info->factor != NULL, info->sums != 0);
    if (info->sparse_sums)
      assert_non_null(info->factor);
    assert_int_equal(info->sparse_sums & ~info->sums, 0);
    for (int d = 0; d < TILE_NUM_DTYPES; d++)
      if (info->sums >> d & 1) {
        assert_int_equal(row(d)->kind, info->kind);
        assert_true(row(d)->size_bytes >= info->size_bytes);
      }
  }
}

static size_t tensor_map_bytes(TileTensorMapType type) {
  static const unsigned char bytes[] = {
      [TILE_TENSOR_MAP_U8] = 1,   [TILE_TENSOR_MAP_U16] = 2,
      [TILE_TENSOR_MAP_U32] = 4,  [TILE_TENSOR_MAP_I32] = 4,
      [TILE_TENSOR_MAP_U64] = 8,  [TILE_TENSOR_MAP_I64] = 8,
      [TILE_TENSOR_MAP_F16] = 2,  [TILE_TENSOR_MAP_F32] = 4,
      [TILE_TENSOR_MAP_F64] = 8,  [TILE_TENSOR_MAP_BF16] = 2,
      [TILE_TENSOR_MAP_TF32] = 4,
  };
  return bytes[type];
}

static void memory_has_one_size(void **state) {
  (void)state;
  for (int i = 0; i < TILE_NUM_DTYPES; i++) {
    const TileDtypeInfo *info = row(i);
    if (!tile_dtype_info_is_complex(info))
      assert_int_equal(tensor_map_bytes(info->tensor_map), info->size_bytes);
    if (!info->npy)
      continue;
    assert_int_equal(atoi(info->npy + 2), info->size_bytes);
    assert_int_equal(info->npy[0] == '<',
                     info->size_bytes > 1 && info->npy[1] != 'V');
    for (int j = 0; j < i; j++) // what is read must say which one it is
      assert_true(!row(j)->npy || strcmp(row(j)->npy, info->npy) != 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row_is_whole),
      cmocka_unit_test(floats_fill_their_bits),
      cmocka_unit_test(ptx_types_have_the_bits),
      cmocka_unit_test(factors_have_sums),
      cmocka_unit_test(memory_has_one_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
