//===- HostFunction.h - Launch metadata in memory -------------------------===//
//
// The data structure behind docs/Metadata.md. Everything an index refers to
// has been checked while reading, so that running needs no more checks of form.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_LAUNCHER_HOST_FUNCTION_H
#define TILE_LIB_LAUNCHER_HOST_FUNCTION_H

#include "Launcher/Launcher.h"
#include "Tile/Support/HostValueOps.h"

#include <cjson/cJSON.h>

//===-- Values ------------------------------------------------------------===//

#define VALUE_NAME(name, spelling, kind) VALUE_##name,
typedef enum { TILE_HOST_VALUE_OPS(VALUE_NAME) VALUE_NUM_OPS } ValueOp;
#undef VALUE_NAME

/// Of integers, in the order of the arith dialect.
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
  PREDICATE_UGE
} ValuePredicate;

typedef struct {
  bool is_float;
  int num_bits;     // integers: 1 to 64, index: 64
  TileDtype format; // floating point only
} ValueType;

typedef struct {
  ValueOp op;
  ValueType type;
  int arg, dim;    // ARGUMENT, DIM, STRIDE, POINTER; GLOBAL: `arg` of globals
  int operands[3]; // indices of earlier values
  int predicate;   // CMPI: a ValuePredicate; CMPF: the order of arith.cmpf
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

typedef struct {
  const char *name;
  TileHostValueKind kind;
} ValueOpInfo;

extern const ValueOpInfo tile_value_ops[VALUE_NUM_OPS];

int tile_value_num_operands(ValueOp op);

/// A value as a number of 64 bits, or a double.
TileNumber tile_value_result_number(const Value *value,
                                    const ValueResult *result);

/// What values begin with.
typedef struct {
  const TileHostFunction *function;
  const TileArg *args;
  int num_sms;
  const uint64_t *globals; // addresses
} ValueInputs;

/// Computes all values, in order; variables are 0. A failure is kept in the
/// value and in what depends on it: it is an error only when something the
/// launch needs does.
void tile_host_values_evaluate(const ValueInputs *inputs,
                               ValueResult *out_results);

/// Computes the values in a list, in order.
void tile_host_values_update(const ValueInputs *inputs, const int *list,
                             int count, ValueResult *results);

/// Computes an op of floats; false when the result is undefined: an integer
/// that its type does not hold.
bool tile_value_compute_float(const Value *value, const Value *operand,
                              const ValueResult *const operands[3],
                              ValueResult *out_result);

/// The bits of an integer value as a signed number; i1 gives 0 or 1.
int64_t tile_value_result_signed(const Value *value, const ValueResult *result);
/// The same, where i1 gives 0 or -1.
int64_t tile_value_result_bits_signed(const Value *value,
                                      const ValueResult *result);

/// Extents, strides and offsets of elements that share bytes, in bytes: kernels
/// and what the function computes know these as bytes.
void tile_host_function_code_args(const TileHostFunction *function,
                                  TileArg *args);

//===-- Launches ----------------------------------------------------------===//

typedef struct {
  int value; // an i1
  const char *text;
  int actual;        // the value that it is about; -1: none is named
  int other;         // the value that it is compared with; -1
  const char *where; // in the source; NULL: not known
} Requirement;

typedef struct {
  Requirement *items;
  int count;
} Requirements;

typedef enum { PARAM_TENSOR_MAP, PARAM_POINTER, PARAM_SCALAR } LaunchParamKind;

typedef struct {
  LaunchParamKind kind;
  int arg;                                     // TENSOR_MAP, POINTER; or -1,
  int address;                                 // and then a value
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
  bool is_cooperative, is_dependent; // as TileKernelLaunch
  LaunchParam *params;
  int num_params;
} Variant;

typedef struct {
  Variant *variants;
  int num_variants;
  int wanted; // counted from 1; 0: the first whose requirements hold
} Launch;

//===-- Programs ----------------------------------------------------------===//

/// Values by number.
typedef struct {
  int *items; // owned
  int count;
} ValueList;

typedef enum {
  HOST_LAUNCH,
  HOST_REQUIRE,
  HOST_ALLOC,
  HOST_FREE,
  HOST_RELEASE,
  HOST_COPY,
  HOST_FILL,
  HOST_LOAD,
  HOST_FOR,
  HOST_WHILE,
  HOST_IF
} HostOpKind;

typedef struct HostOp HostOp;
typedef struct {
  HostOp *items; // owned
  int count;
} HostBlock;

/// One op of a host function that has an effect. Numbers are values unless
/// said otherwise.
struct HostOp {
  HostOpKind kind;
  const char *where;       // "gemm.mlir:12:8"; "" where it is not known
  int launch;              // LAUNCH: its number
  Requirement requirement; // REQUIRE
  int alloc;               // ALLOC, RELEASE: the number of the ALLOC
  int address;             // ALLOC: a variable; FREE; LOAD: in bytes
  int result;              // LOAD: a variable
  TileDtype dtype;         // ALLOC, COPY, FILL, LOAD, and the memref of these:
  int rank, shape[TILE_LAUNCH_MAX_RANK];
  int from, from_strides[TILE_LAUNCH_MAX_RANK]; // COPY: address, in elements
  int to, to_strides[TILE_LAUNCH_MAX_RANK];     // COPY, FILL; ALLOC: strides
  int offset;                                   // ALLOC, in elements
  int64_t align_bytes;                          // ALLOC: plain
  bool is_returned;                             // ALLOC: may be
  int value;                          // FILL; IF, WHILE: the condition
  int lower, upper, step, index;      // FOR
  bool is_unsigned;                   // FOR
  ValueList carried, initial, next;   // FOR, WHILE
  ValueList results;                  // IF, WHILE
  ValueList then_values, else_values; // IF; WHILE: handed on, none
  HostBlock body, otherwise;          // FOR, IF; WHILE: body, before
  int first_alloc, end_alloc;         // FOR, WHILE: plain, of its body
  ValueList dependents; // what is computed of the variables that it sets;
                        // WHILE: that it carries,
  ValueList results_dependents; // and hands on
};

/// Data that the function brings along, or memory that outlives calls.
typedef struct {
  const char *name;
  TileDtype dtype;
  size_t num_elems;
  int64_t align_bytes;
  const char *data; // in base 64; NULL: without
} HostGlobal;

typedef struct {
  bool is_scalar;
  TileDtype dtype;
  int value; // scalar; memref: the address
  int rank, shape[TILE_LAUNCH_MAX_RANK], strides[TILE_LAUNCH_MAX_RANK];
} HostResult;

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
  bool has_body; // else the launches, in order
  bool has_load; // what it does may depend on what kernels compute
  HostBlock body;
  int num_allocs;
  ValueList carriers; // variables of loops and branches: what may hold memrefs
  HostGlobal *globals;
  int num_globals;
  HostResult *results;
  int num_results;
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
/// The same of scalars and tensor maps, which are never complex.
bool tile_json_number_dtype(JsonReader *reader, const JsonNode *node,
                            TileDtype *out_dtype);

/// Allocates zeroed items, at least one, for the list at `node`. Owner: the
/// function.
void *tile_json_allocate(JsonReader *reader, const JsonNode *node, int count,
                         size_t item_size_bytes);

/// Reads the table of values into the function; arguments come first.
bool tile_host_values_read(JsonReader *reader, const JsonNode *array);

static inline bool tile_value_types_equal(ValueType a, ValueType b) {
  if (a.is_float != b.is_float)
    return false;
  return a.is_float ? a.format == b.format : a.num_bits == b.num_bits;
}
/// Reads the index of an integer value.
bool tile_host_value_use_read(JsonReader *reader, const JsonNode *node,
                              int *out_value);
bool tile_host_requirement_read(JsonReader *reader, const JsonNode *node,
                                Requirement *out_requirement);

/// Reads `globals`, `body` and `results`, which may be missing; the rest of the
/// function comes first, but the table of values comes between.
bool tile_host_globals_read(JsonReader *reader, const JsonNode *root);
bool tile_host_program_read(JsonReader *reader, const JsonNode *root);

//===-- Running -----------------------------------------------------------===//

/// A call in progress.
typedef struct {
  const TileHostFunction *function;
  TileDevice *device;
  TileDeviceModule *module;
  const TileArg *args;
  ValueInputs inputs;
  ValueResult *results; // one per value
  const TileRunOptions *options;
  bool *has_remarked; // by number of the launch
} HostRun;

/// "f: gemm.mlir:12:8: …", a user error.
TileStatus tile_host_op_fail(const HostRun *run, const HostOp *op,
                             const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/// `what` says what needs a value. Errors: it is not defined.
TileStatus tile_host_run_check_defined(const HostRun *run, int index,
                                       const char *what);
/// Returns an integer value in [min, max].
TileStatus tile_host_run_integer(const HostRun *run, int index,
                                 const char *what, int64_t min, int64_t max,
                                 int64_t *out_value);

/// The addresses of the globals of the function; made once for a module.
TileStatus tile_host_globals_load(const TileHostFunction *function,
                                  TileDevice *device, TileDeviceModule *module,
                                  const uint64_t **out_addresses);

#endif // TILE_LIB_LAUNCHER_HOST_FUNCTION_H
