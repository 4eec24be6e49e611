//===- Npy.c - Arrays in NumPy's .npy format ------------------------------===//
//
// Format 1 and 2, little endian, C order. The header is the text of a Python
// dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
//
// Source: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy
// Arrays".
//
//===----------------------------------------------------------------------===//

#include "Launcher.h"
#include "Support/DtypeTable.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HEADER = 65536 };

//===-- Reading -----------------------------------------------------------===//

/// The header text of `key` after its colon, or NULL.
static const char *find_value(const char *header, const char *key) {
  char quoted[32];
  snprintf(quoted, sizeof quoted, "'%s':", key);
  const char *at = strstr(header, quoted);
  if (!at)
    return NULL;
  at += strlen(quoted);
  while (*at == ' ')
    at++;
  return at;
}

/// "|" says that the order of bytes means nothing; "<" is as good.
static bool is_descr_of(const char *name, const char *npy) {
  if (!npy || !name[0])
    return false;
  return strcmp(name, npy) == 0 ||
         (npy[0] == '|' && name[0] == '<' && strcmp(name + 1, npy + 1) == 0);
}

static TileStatus parse_descr(const char *path, const char *header,
                              TileDtype *out_dtype) {
  const char *at = find_value(header, "descr");
  char name[32] = {0};
  if (at && *at == '\'') {
    size_t length = strcspn(at + 1, "'");
    if (length < sizeof name)
      memcpy(name, at + 1, length);
  }
  for (int i = 0; i < TILE_NUM_DTYPES; i++)
    if (is_descr_of(name, tile_dtype_info((TileDtype)i)->npy)) {
      *out_dtype = (TileDtype)i;
      return tile_status_ok();
    }
  return tile_status_error(TILE_STATUS_USER_ERROR,
                           "%s: expected a little-endian number type such as "
                           "'<f4' as descr, got '%s'",
                           path, name);
}

static TileStatus parse_shape(const char *path, const char *header,
                              TileTensor *out_tensor) {
  const char *at = find_value(header, "shape");
  bool is_valid = at && *at == '(';
  out_tensor->rank = 0;
  if (is_valid)
    at++;
  while (is_valid) {
    at += strspn(at, " ,");
    if (*at == ')')
      return tile_status_ok();
    char *end = NULL;
    errno = 0;
    long long extent = strtoll(at, &end, 10);
    is_valid = end != at && errno == 0 && extent >= 0;
    at = end;
    if (is_valid && out_tensor->rank == TILE_LAUNCH_MAX_RANK)
      return tile_status_error(TILE_STATUS_USER_ERROR,
                               "%s: expected at most %d dimensions, got more",
                               path, TILE_LAUNCH_MAX_RANK);
    if (is_valid)
      out_tensor->shape[out_tensor->rank++] = extent;
  }
  return tile_status_error(TILE_STATUS_USER_ERROR,
                           "%s: malformed shape in the .npy header", path);
}

static TileStatus parse_header(const char *path, const char *header,
                               TileTensor *out_tensor) {
  TileStatus status = parse_descr(path, header, &out_tensor->dtype);
  if (tile_status_is_ok(&status))
    status = parse_shape(path, header, out_tensor);
  if (!tile_status_is_ok(&status))
    return status;
  const char *order = find_value(header, "fortran_order");
  bool is_fortran = order && strncmp(order, "True", 4) == 0;
  if (!order || (!is_fortran && strncmp(order, "False", 5) != 0))
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "%s: malformed fortran_order in the .npy header",
                             path);
  if (is_fortran && out_tensor->rank > 1)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "%s: expected C order, got Fortran order; save "
                             "numpy.ascontiguousarray(x)",
                             path);
  tile_tensor_set_contiguous(out_tensor);
  return tile_status_ok();
}

/// Reads magic, version and header length, then the header as a C string.
static TileStatus read_header(const char *path, FILE *file, char *header) {
  unsigned char lead[12] = {0};
  if (fread(lead, 1, 10, file) != 10 || memcmp(lead, "\x93NUMPY", 6) != 0)
    return tile_status_error(TILE_STATUS_USER_ERROR, "%s: not a .npy file",
                             path);
  int version = lead[6];
  if (version != 1 && version != 2)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "%s: expected .npy format 1 or 2, got %d", path,
                             version);
  size_t length = (size_t)lead[8] | (size_t)lead[9] << 8;
  bool is_complete = true;
  if (version == 2) {
    is_complete = fread(lead + 10, 1, 2, file) == 2;
    length |= (size_t)lead[10] << 16 | (size_t)lead[11] << 24;
  }
  if (length >= MAX_HEADER)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "%s: expected a header below %d bytes, got %zu",
                             path, MAX_HEADER, length);
  if (!is_complete || fread(header, 1, length, file) != length)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "%s: the file ends inside its header", path);
  header[length] = 0;
  return tile_status_ok();
}

static TileStatus read_tensor(const char *path, FILE *file,
                              TileTensor *out_tensor) {
  char *header = malloc(MAX_HEADER);
  if (!header)
    return tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  TileStatus status = read_header(path, file, header);
  if (tile_status_is_ok(&status))
    status = parse_header(path, header, out_tensor);
  free(header);
  if (tile_status_is_ok(&status))
    status = tile_tensor_alloc(out_tensor);
  if (!tile_status_is_ok(&status))
    return status;
  size_t got_bytes = 0;
  if (!feof(file) && !ferror(file))
    got_bytes = fread(out_tensor->data, 1, out_tensor->size_bytes, file);
  if (got_bytes != out_tensor->size_bytes)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "%s: expected %zu bytes of data, got %zu", path,
                             out_tensor->size_bytes, got_bytes);
  return tile_status_ok();
}

TileStatus tile_npy_read(const char *path, TileTensor *out_tensor) {
  *out_tensor = (TileTensor){0};
  FILE *file = fopen(path, "rb");
  if (!file)
    return tile_status_error(TILE_STATUS_USER_ERROR, "cannot read %s: %s", path,
                             strerror(errno));
  TileStatus status = read_tensor(path, file, out_tensor);
  fclose(file);
  if (!tile_status_is_ok(&status))
    tile_tensor_deinit(out_tensor);
  return status;
}

//===-- Writing -----------------------------------------------------------===//

static TileDtype stored_dtype(TileDtype dtype) {
  if (dtype == TILE_DTYPE_INDEX)
    return TILE_DTYPE_I64;
  if (dtype == TILE_DTYPE_I4)
    return TILE_DTYPE_I8;
  bool is_small = tile_dtype_size_bytes(dtype) <= 4;
  return tile_dtype_is_float(dtype) && is_small ? TILE_DTYPE_F32 : dtype;
}

/// Writes the header of format 1, padded so that the data is 64-byte aligned.
static void write_header(FILE *file, const TileTensor *tensor,
                         TileDtype dtype) {
  enum { LEAD_BYTES = 10, ALIGN_BYTES = 64, BUFFER_BYTES = 512 };
  const char *descr = tile_dtype_info(dtype)->npy;
  char header[BUFFER_BYTES];
  int length =
      snprintf(header, sizeof header,
               "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
  for (int i = 0; i < tensor->rank; i++)
    length += snprintf(header + length, sizeof header - (size_t)length,
                       "%lld%s", (long long)tensor->shape[i],
                       tensor->rank == 1      ? ","
                       : i + 1 < tensor->rank ? ", "
                                              : "");
  length += snprintf(header + length, sizeof header - (size_t)length, "), }");
  while ((LEAD_BYTES + length + 1) % ALIGN_BYTES != 0)
    header[length++] = ' ';
  header[length++] = '\n';

  unsigned char lead[LEAD_BYTES] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  lead[8] = (unsigned char)(length & 0xFF);
  lead[9] = (unsigned char)(length >> 8);
  fwrite(lead, 1, sizeof lead, file);
  fwrite(header, 1, (size_t)length, file);
}

TileStatus tile_npy_write(const char *path, const TileTensor *tensor) {
  FILE *file = fopen(path, "wb");
  if (!file)
    return tile_status_error(TILE_STATUS_USER_ERROR, "cannot write %s: %s",
                             path, strerror(errno));
  TileDtype dtype = stored_dtype(tensor->dtype);
  write_header(file, tensor, dtype);
  size_t num_elems = tile_tensor_num_elems(tensor);
  for (size_t i = 0; i < num_elems; i++) {
    unsigned char bytes[TILE_DTYPE_MAX_BYTES] = {0};
    tile_dtype_store(dtype, tile_tensor_load(tensor, i), bytes);
    fwrite(bytes, 1, tile_dtype_size_bytes(dtype), file);
  }
  bool has_failed = ferror(file) != 0;
  has_failed |= fclose(file) != 0;
  if (has_failed)
    return tile_status_error(TILE_STATUS_USER_ERROR, "cannot write %s: %s",
                             path, strerror(errno));
  return tile_status_ok();
}
