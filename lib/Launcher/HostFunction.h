//===- HostFunction.h - Launch metadata in memory -------------------------===//
//
// The data structure behind docs/Metadata.md. Everything an index refers to
// has been checked while reading, so that running needs no more checks of form.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_LAUNCHER_HOST_FUNCTION_H
#define TILE_LIB_LAUNCHER_HOST_FUNCTION_H

#include "Launcher.h"

#include <cjson/cJSON.h>

//===-- Values ------------------------------------------------------------===//

typedef enum {
  VALUE_CONSTANT,
  VALUE_ARGUMENT,
  VALUE_DIM,
  VALUE_STRIDE,
  VALUE_POINTER,
  VALUE_NUM_SMS,
  VALUE_ADDI, // two operands of the type of the result, to VALUE_SHRUI
  VALUE_SUBI,
  VALUE_MULI,
  VALUE_DIVSI,
  VALUE_DIVUI,
  VALUE_CEILDIVSI,
  VALUE_CEILDIVUI,
  VALUE_FLOORDIVSI,
  VALUE_REMSI,
  VALUE_REMUI,
  VALUE_MINSI,
  VALUE_MINUI,
  VALUE_MAXSI,
  VALUE_MAXUI,
  VALUE_ANDI,
  VALUE_ORI,
  VALUE_XORI,
  VALUE_SHLI,
  VALUE_SHRSI,
  VALUE_SHRUI,
  VALUE_CMPI,
  VALUE_SELECT,
  VALUE_EXTSI,
  VALUE_EXTUI,
  VALUE_TRUNCI,
  VALUE_INDEX_CAST,
  VALUE_INDEX_CASTUI,
  VALUE_NUM_OPS
} ValueOp;

typedef enum {
  PREDICATE_EQ,
  PREDICATE_NE,
  PREDICATE_SLT,
  PREDICATE_SLE,
  PREDICATE_SGT,
  PREDICATE_SGE,
  PREDICATE_ULT,
  PREDICATE_ULE,
  PREDICATE_UGT,
  PREDICATE_UGE,
  PREDICATE_COUNT
} ValuePredicate;

typedef struct {
  bool is_float;
  int num_bits;     // integers: 1 to 64, index: 64
  TileDtype format; // floating point only
} ValueType;

typedef struct {
  ValueOp op;
  ValueType type;
  int arg, dim;    // ARGUMENT, DIM, STRIDE, POINTER
  int operands[3]; // indices of earlier values
  ValuePredicate predicate;
  int64_t integer; // CONSTANT
  double real;
} Value;

/// A computed value. `failed_at` is -1, or the index of the value whose
/// computation is undefined (division by zero, shift too far).
typedef struct {
  uint64_t bits; // integers: zero-extended from the width of the type
  double real;   // floating point
  int failed_at;
} ValueResult;

extern const char *const tile_value_op_names[VALUE_NUM_OPS];

/// Computes all values, in order. A failure is kept in the value and in what
/// depends on it: it is an error only when something the launch needs does.
void tile_host_values_evaluate(const TileHostFunction *function,
                               const TileArg *args, int num_sms,
                               ValueResult *out_results);

/// The bits of an integer value as a signed number; i1 gives 0 or 1.
int64_t tile_value_result_signed(const Value *value, const ValueResult *result);

//===-- Launches ----------------------------------------------------------===//

typedef struct {
  int value; // an i1
  const char *text;
  int actual; // the value that it is about; -1: none is named
} Requirement;

typedef struct {
  Requirement *items;
  int count;
} Requirements;

typedef enum { PARAM_TENSOR_MAP, PARAM_POINTER, PARAM_SCALAR } LaunchParamKind;

typedef struct {
  LaunchParamKind kind;
  int arg;                                     // TENSOR_MAP, POINTER
  int value;                                   // SCALAR
  TileDtype dtype;                             // SCALAR, TENSOR_MAP
  int rank;                                    // TENSOR_MAP, and below
  int dims[TILE_TENSOR_MAP_MAX_RANK];          // values, contiguous first
  int strides_bytes[TILE_TENSOR_MAP_MAX_RANK]; // values; [0] is not used
  uint32_t box[TILE_TENSOR_MAP_MAX_RANK],
      elem_strides[TILE_TENSOR_MAP_MAX_RANK];
  int swizzle_bytes;
  bool oob_nan;
  bool is_im2col; // uses what follows, and no box
  int32_t lower_corner[TILE_TENSOR_MAP_MAX_RANK - 2],
      upper_corner[TILE_TENSOR_MAP_MAX_RANK - 2];
  uint32_t channels_per_pixel, pixels_per_column;
} LaunchParam;

typedef struct {
  const char *kernel;
  Requirements requirements;
  int grid[3], block[3]; // values
  uint32_t cluster[3];
  uint32_t dynamic_smem_bytes;
  LaunchParam *params;
  int num_params;
} Variant;

typedef struct {
  Variant *variants;
  int num_variants;
  int wanted; // counted from 1; 0: the first whose requirements hold
} Launch;

struct TileHostFunction {
  cJSON *root; // owns every string below
  char *ptx_path;
  const char *name;
  bool may_alias;
  TileHostParam *params;
  int num_params;
  Value *values;
  int num_values;
  Requirements requirements;
  Launch *launches;
  int num_launches;
};

//===-- Reading -----------------------------------------------------------===//

/// A place inside the JSON text, with its path for messages. `json` is NULL
/// when nothing is there.
typedef struct {
  const cJSON *json;
  char where[160];
} JsonNode;

/// What the reading functions share. They return false after the first error,
/// which is in `status`.
typedef struct {
  const char *path; // of the file
  TileHostFunction *function;
  TileStatus status;
} JsonReader;

JsonNode tile_json_field(const JsonNode *object, const char *key);
JsonNode tile_json_item(const JsonNode *array, int index);
/// Reports "FILE: WHERE: expected EXPECTED, got TEXT"; returns false.
bool tile_json_fail(JsonReader *reader, const JsonNode *node,
                    const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool tile_json_string(JsonReader *reader, const JsonNode *node,
                      const char **out_text);
bool tile_json_bool(JsonReader *reader, const JsonNode *node, bool *out_value);
/// An integer in [min, max]: a number that a double holds exactly, or a string
/// of decimal digits for the others.
bool tile_json_int(JsonReader *reader, const JsonNode *node, int64_t min,
                   int64_t max, int64_t *out_value);
/// As _int, for numbers that fit an int.
bool tile_json_small_int(JsonReader *reader, const JsonNode *node, int min,
                         int max, int *out_value);
/// The length of an array of `min` to `max` items.
bool tile_json_array(JsonReader *reader, const JsonNode *node, int min, int max,
                     int *out_length);
bool tile_json_dtype(JsonReader *reader, const JsonNode *node,
                     TileDtype *out_dtype);

/// Reads the table of values into the function; arguments come first.
bool tile_host_values_read(JsonReader *reader, const JsonNode *array);

#endif // TILE_LIB_LAUNCHER_HOST_FUNCTION_H
