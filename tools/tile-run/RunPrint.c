//===- RunPrint.c - Prints tensors for people -----------------------------===//

#include "RunOptions.h"

enum { MAX_SHOWN = 8, NUM_SHOWN_ENDS = 4 }; // per dimension

static void print_element(FILE *file, const TileTensor *tensor, size_t index) {
  TileNumber number =
      tile_dtype_load(tensor->dtype, tile_tensor_elem(tensor, index));
  if (tile_dtype_is_float(tensor->dtype))
    fprintf(file, "%g", number.real);
  else if (tensor->dtype == TILE_DTYPE_U64)
    fprintf(file, "%llu", (unsigned long long)number.integer);
  else
    fprintf(file, "%lld", (long long)number.integer);
}

/// Prints one row: elements `first` to `first` + `count`.
static void print_row(FILE *file, const TileTensor *tensor, size_t first,
                      int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    if (count > MAX_SHOWN && i == NUM_SHOWN_ENDS) {
      fputs(" ...", file);
      i = count - NUM_SHOWN_ENDS;
    }
    if (i > 0)
      fputc(' ', file);
    print_element(file, tensor, first + (size_t)i);
  }
  fputc('\n', file);
}

void run_tensor_print(FILE *file, int arg, const TileTensor *tensor) {
  size_t num_elems = tile_tensor_num_elems(tensor);
  fprintf(file, "argument %d: ", arg);
  for (int i = 0; i < tensor->rank; i++)
    fprintf(file, "%lldx", (long long)tensor->shape[i]);
  fprintf(file, "%s\n", tile_dtype_name(tensor->dtype));
  if (num_elems == 0)
    return;

  // Outer dimensions are printed as further rows.
  int64_t row_elems = tensor->rank > 0 ? tensor->shape[tensor->rank - 1] : 1;
  int64_t num_rows = (int64_t)num_elems / row_elems;
  for (int64_t row = 0; row < num_rows; row++) {
    if (num_rows > MAX_SHOWN && row == NUM_SHOWN_ENDS) {
      fputs("...\n", file);
      row = num_rows - NUM_SHOWN_ENDS;
    }
    print_row(file, tensor, (size_t)(row * row_elems), row_elems);
  }
}
