//===- AttentionText.c - The kernel of an attention, as text --------------===//
//
// Blocks of queries, steps of keys: the text names what is in it, so that it
// can be read where it is made.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Schedules/Attention.h"

#include "Support/MlirText.h"
#include "mlir-c/AffineExpr.h"

//===-- The kernel as text ------------------------------------------------===//

typedef enum { WHOLE = -1 } Role; // else a dimension of the logits

typedef struct {
  const TileAttention *m;
  TileString text;
} Writer;

static void print_type(TileString *out, MlirType type) {
  mlirTypePrint(type, tile_string_callback, out);
}

// The dimension of the logits that dimension `dim` of an operand follows.
static int role_of_factor(const TileAttention *m, int operand, int dim) {
  int loop = tile_nest_loop(&m->scores, operand, dim);
  for (int d = 0; d < m->rank; d++)
    if (tile_nest_loop(&m->scores, 2, d) == loop)
      return d;
  return WHOLE;
}

static int role_of_value(const TileAttention *m, int operand, int dim) {
  int loop = tile_nest_loop(&m->values, operand, dim);
  int role = dim_following(&m->values, m->weights, loop);
  return role < 0 ? WHOLE : role;
}

typedef int (*RoleFn)(const TileAttention *m, int operand, int dim);

static int role_of_logit(const TileAttention *m, int operand, int dim) {
  (void)m, (void)operand;
  return dim;
}

// Rows are the logits without keys.
static int role_of_row(const TileAttention *m, int operand, int dim) {
  (void)operand;
  return dim < m->key ? dim : dim + 1;
}

// How many elements of a dimension of the logits a step has.
static void print_part(Writer *w, int dim, const char *unknown,
                       const char *after) {
  int64_t part = tile_attention_part(w->m, dim);
  if (part < 0)
    tile_string_print(&w->text, "%s%s", unknown, after);
  else
    tile_string_print(&w->text, "%lld%s", (long long)part, after);
}

static const char *name_of_part(const TileAttention *m, int dim) {
  return dim == m->key ? "%kn" : "%qn";
}

// "1x?x64xf32": a block of a tensor.
static void print_block_type(Writer *w, MlirType like, int rank, RoleFn role,
                             int operand, MlirType element) {
  tile_string_print(&w->text, "tensor<");
  for (int d = 0; d < rank; d++) {
    int r = role(w->m, operand, d);
    if (r == WHOLE)
      tile_string_print(&w->text, "%lldx",
                        (long long)mlirShapedTypeGetDimSize(like, d));
    else
      print_part(w, r, "?", "x");
  }
  print_type(&w->text, element);
  tile_string_print(&w->text, ">");
}

static void print_dynamic_sizes(Writer *w, int rank, RoleFn role, int operand) {
  const char *comma = "";
  for (int d = 0; d < rank; d++) {
    int r = role(w->m, operand, d);
    if (r == WHOLE || tile_attention_part(w->m, r) >= 0)
      continue;
    tile_string_print(&w->text, "%s%s", comma, name_of_part(w->m, r));
    comma = ", ";
  }
}

// "[%i0, %q, 0] [1, %qn, 64] [1, 1, 1]" of input number `input`; -1: of none.
static void print_window(Writer *w, MlirType like, int rank, RoleFn role,
                         int operand, int input) {
  const TileAttention *m = w->m;
  for (int part = 0; part < 3; part++) {
    tile_string_print(&w->text, part ? " [" : "[");
    for (int d = 0; d < rank; d++) {
      int r = role(m, operand, d);
      if (d)
        tile_string_print(&w->text, ", ");
      if (part == 2)
        tile_string_print(&w->text, "1");
      else if (r == WHOLE)
        tile_string_print(&w->text, "%lld",
                          part ? (long long)mlirShapedTypeGetDimSize(like, d)
                               : 0LL);
      else if (part)
        print_part(w, r, name_of_part(m, r), "");
      else if (r == m->key || r == m->query)
        tile_string_print(&w->text, r == m->key ? "%%k" : "%%q");
      else if (input >= 0 && m->inputs[input].num_sharing[d] > 1)
        tile_string_print(&w->text, "%%i%d_of_%d", r, input);
      else
        tile_string_print(&w->text, "%%i%d", r);
    }
    tile_string_print(&w->text, "]");
  }
}

static MlirType type_of_factor(const TileAttention *m, int i) {
  return mlirValueGetType(m->inputs[i].tensor);
}

static MlirType type_of_values(const TileAttention *m) {
  return mlirValueGetType(m->inputs[2].tensor);
}

static void print_slice(Writer *w, const char *name, int input) {
  static const char *const sources[] = {"f0", "f1", "v"};
  bool is_values = input == 2;
  MlirType type =
      is_values ? type_of_values(w->m) : type_of_factor(w->m, input);
  RoleFn role = is_values ? role_of_value : role_of_factor;
  int operand = is_values ? 1 - w->m->weights : input;
  tile_string_print(&w->text, "%%%s = tensor.extract_slice %%%s", name,
                    sources[input]);
  print_window(w, type, rank_of(type), role, operand, input);
  tile_string_print(&w->text, " : ");
  print_type(&w->text, type);
  tile_string_print(&w->text, " to ");
  print_block_type(w, type, rank_of(type), role, operand,
                   mlirShapedTypeGetElementType(type));
  tile_string_print(&w->text, "\n");
}

static void print_maps(Writer *w, const TileNest *nest) {
  tile_string_print(&w->text, "[");
  for (int i = 0; i < 3; i++) {
    tile_string_print(&w->text, i ? ", affine_map<" : "affine_map<");
    mlirAffineMapPrint(nest->maps[i], tile_string_callback, &w->text);
    tile_string_print(&w->text, ">");
  }
  tile_string_print(&w->text, "]");
}

// The kinds of tensors in the kernel.
typedef enum { LOGITS, ROWS, RESULT } Kind;

static void print_kind(Writer *w, Kind kind, MlirType element) {
  const TileAttention *m = w->m;
  MlirType result = mlirValueGetType(mlirOperationGetResult(m->values.op, 0));
  if (kind == RESULT)
    print_block_type(w, result, rank_of(result), role_of_value, 2, element);
  else
    print_block_type(w, result, kind == LOGITS ? m->rank : m->rank - 1,
                     kind == LOGITS ? role_of_logit : role_of_row, 0, element);
}

static void print_empty(Writer *w, const char *name, Kind kind,
                        MlirType element) {
  const TileAttention *m = w->m;
  MlirType result = mlirValueGetType(mlirOperationGetResult(m->values.op, 0));
  tile_string_print(&w->text, "%%%s = tensor.empty(", name);
  print_dynamic_sizes(w,
                      kind == RESULT   ? rank_of(result)
                      : kind == LOGITS ? m->rank
                                       : m->rank - 1,
                      kind == RESULT   ? role_of_value
                      : kind == LOGITS ? role_of_logit
                                       : role_of_row,
                      2);
  tile_string_print(&w->text, ") : ");
  print_kind(w, kind, element);
  tile_string_print(&w->text, "\n");
}

// The map of a kind in loops over the dimensions of `loops`.
static void print_map(Writer *w, Kind loops, Kind kind) {
  const TileAttention *m = w->m;
  MlirType result = mlirValueGetType(mlirOperationGetResult(m->values.op, 0));
  int rank = loops == RESULT   ? rank_of(result)
             : loops == LOGITS ? m->rank
                               : m->rank - 1;
  tile_string_print(&w->text, "affine_map<(");
  for (int d = 0; d < rank; d++)
    tile_string_print(&w->text, "%sd%d", d ? ", " : "", d);
  tile_string_print(&w->text, ") -> (");
  const char *comma = "";
  for (int d = 0; d < (kind == ROWS ? m->rank - 1 : rank); d++) {
    int at = d;
    if (kind == ROWS && loops == LOGITS)
      at = role_of_row(m, 0, d);
    for (int r = 0; r < rank && kind == ROWS && loops == RESULT; r++)
      if (role_of_value(m, 2, r) == role_of_row(m, 0, d))
        at = r;
    tile_string_print(&w->text, "%sd%d", comma, at);
    comma = ", ";
  }
  tile_string_print(&w->text, ")>");
}

/// Which logits a loop is for.
typedef enum { IS_ANY, IS_BOUNDED, IS_UNBOUNDED } Bounds;

/// Loops over a kind of tensor, whose operands are kinds of f32.
typedef struct {
  const char *name, *init;
  Kind loops, out;
  const char *ins[2];
  Kind kinds[2];
  int num_ins;
  bool is_reduction;
  const char *body; // of %a, %b and the old %o; yields %y
  MlirType element; // of the result; null: f32
  Bounds bounds;
} Loops;

static void print_loops(Writer *w, const Loops *l) {
  MlirContext context = mlirOperationGetContext(w->m->values.op);
  MlirType f32 = mlirF32TypeGet(context);
  MlirType element = l->element.ptr ? l->element : f32;
  MlirType result =
      mlirValueGetType(mlirOperationGetResult(w->m->values.op, 0));
  int rank = l->loops == RESULT   ? rank_of(result)
             : l->loops == LOGITS ? w->m->rank
                                  : w->m->rank - 1;
  tile_string_print(&w->text, "%%%s = linalg.generic {indexing_maps = [",
                    l->name);
  for (int i = 0; i < l->num_ins; i++) {
    print_map(w, l->loops, l->kinds[i]);
    tile_string_print(&w->text, ", ");
  }
  print_map(w, l->loops, l->out);
  tile_string_print(&w->text, "], iterator_types = [");
  for (int d = 0; d < rank; d++)
    tile_string_print(&w->text, "%s\"%s\"", d ? ", " : "",
                      l->is_reduction && d == w->m->key ? "reduction"
                                                        : "parallel");
  tile_string_print(&w->text, "]} ins(");
  for (int i = 0; i < l->num_ins; i++)
    tile_string_print(&w->text, "%s%%%s", i ? ", " : "", l->ins[i]);
  tile_string_print(&w->text, " : ");
  for (int i = 0; i < l->num_ins; i++) {
    tile_string_print(&w->text, i ? ", " : "");
    print_kind(w, l->kinds[i], f32);
  }
  tile_string_print(&w->text, ") outs(%%%s : ", l->init);
  print_kind(w, l->out, element);
  tile_string_print(&w->text, ") {\n^bb0(%%a: f32, %s%%o: ",
                    l->num_ins > 1 ? "%b: f32, " : "");
  print_type(&w->text, element);
  tile_string_print(&w->text, "):\n%s\nlinalg.yield %%y : ", l->body);
  print_type(&w->text, element);
  tile_string_print(&w->text, "\n} -> ");
  print_kind(w, l->out, element);
  tile_string_print(&w->text, "\n");
}

static void print_fill(Writer *w, const char *name, Kind kind,
                       const char *value) {
  MlirType f32 = mlirF32TypeGet(mlirOperationGetContext(w->m->values.op));
  char empty[32];
  snprintf(empty, sizeof empty, "%se", name);
  print_empty(w, empty, kind, f32);
  tile_string_print(&w->text,
                    "%%%s = linalg.fill ins(%%%s : f32) outs(%%%s : ", name,
                    value, empty);
  print_kind(w, kind, f32);
  tile_string_print(&w->text, ") -> ");
  print_kind(w, kind, f32);
  tile_string_print(&w->text, "\n");
}

static void print_product(Writer *w, const char *name, const TileNest *nest,
                          const char *const *ins, const char *init,
                          bool is_scores) {
  const TileAttention *m = w->m;
  MlirType f32 = mlirF32TypeGet(mlirOperationGetContext(m->values.op));
  tile_string_print(&w->text, "%%%s = linalg.contract indexing_maps = ", name);
  print_maps(w, nest);
  tile_string_print(&w->text, " ins(%%%s, %%%s : ", ins[0], ins[1]);
  for (int i = 0; i < 2; i++) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(nest->op, i));
    tile_string_print(&w->text, i ? ", " : "");
    print_block_type(w, type, rank_of(type),
                     is_scores ? role_of_factor : role_of_value, i,
                     mlirShapedTypeGetElementType(type));
  }
  tile_string_print(&w->text, ") outs(%%%s : ", init);
  print_kind(w, is_scores ? LOGITS : RESULT, f32);
  tile_string_print(&w->text, ") -> ");
  print_kind(w, is_scores ? LOGITS : RESULT, f32);
  tile_string_print(&w->text, "\n");
}

// Where the numbers of extents come from: a factor has every batch, query, key.
static void print_extents(Writer *w) {
  const TileAttention *m = w->m;
  for (int d = 0; d < m->rank; d++)
    for (int i = 0, is_found = 0; i < 2 && !is_found; i++) {
      MlirType type = type_of_factor(m, i);
      for (int k = 0; k < rank_of(type) && !is_found; k++) {
        if (role_of_factor(m, i, k) != d || m->inputs[i].num_sharing[k] > 1)
          continue;
        tile_string_print(&w->text,
                          "%%x%d = arith.constant %d : index\n"
                          "%%n%d = tensor.dim %%f%d, %%x%d : ",
                          d, k, d, i, d);
        print_type(&w->text, type);
        tile_string_print(&w->text, "\n");
        is_found = 1;
      }
    }
}

static void print_logits(Writer *w) {
  const TileAttention *m = w->m;
  MlirType f32 = mlirF32TypeGet(mlirOperationGetContext(m->values.op));
  int query_side = 0;
  for (int k = 0; k < rank_of(type_of_factor(m, 1)); k++)
    if (role_of_factor(m, 1, k) == m->query)
      query_side = 1;
  tile_string_print(&w->text,
                    "%%kn = affine.min affine_map<(d0)[s0] -> (-d0 + "
                    "s0, %lld)>(%%k)[%%n%d]\n",
                    (long long)m->step_keys, m->key);
  print_slice(w, "ks", 1 - query_side);
  print_slice(w, "vs", 2);
  print_fill(w, "s0", LOGITS, "zero");
  const char *factors[] = {query_side ? "ks" : "qc", query_side ? "qc" : "ks"};
  print_product(w, "s1", &m->scores, factors, "s0", true);
  tile_string_print(&w->text, "%%s2 = func.call @chain(%%s1");
  for (int d = 0; d < m->rank; d++)
    tile_string_print(&w->text,
                      d == m->key     ? ", %%k, %%kn"
                      : d == m->query ? ", %%q, %%qn"
                                      : ", %%i%d, %%one",
                      d);
  tile_string_print(&w->text, ") : (");
  print_kind(w, LOGITS, f32);
  for (int d = 0; d < 2 * m->rank; d++)
    tile_string_print(&w->text, ", index");
  tile_string_print(&w->text, ") -> ");
  print_kind(w, LOGITS, f32);
  tile_string_print(&w->text, "\n");
}

// Sums are relative to the greatest logit so far.
static const Loops step_loops[] = {
    {.name = "m1",
     .init = "mx",
     .loops = LOGITS,
     .out = ROWS,
     .ins = {"s2"},
     .kinds = {LOGITS},
     .num_ins = 1,
     .is_reduction = true,
     .body = "%y = arith.maximumf %a, %o : f32"},
    // Rows of which every logit is -inf have no weights, not NaN. Differences
    // come first, powers of two are cheap: logits that hide are near the least
    // float.
    {.name = "mz",
     .init = "re",
     .loops = ROWS,
     .out = ROWS,
     .ins = {"m1"},
     .kinds = {ROWS},
     .num_ins = 1,
     .body = "%c = arith.cmpf oeq, %a, %low : f32\n"
             "%y = arith.select %c, %zero, %a : f32"},
    {.name = "r",
     .init = "re",
     .loops = ROWS,
     .out = ROWS,
     .ins = {"mx", "mz"},
     .kinds = {ROWS, ROWS},
     .num_ins = 2,
     .body = "%d = arith.subf %a, %b : f32\n"
             "%e = arith.mulf %d, %scale : f32\n"
             "%y = math.exp2 %e fastmath<afn> : f32"},
    {.name = "p",
     .init = "pe",
     .loops = LOGITS,
     .out = LOGITS,
     .ins = {"s2", "mz"},
     .kinds = {LOGITS, ROWS},
     .num_ins = 2,
     .body = "%d = arith.subf %a, %b : f32\n"
             "%e = arith.mulf %d, %scale : f32\n"
             "%y = math.exp2 %e fastmath<afn> : f32",
     .bounds = IS_UNBOUNDED},
    // The same where no logit is near the least float.
    {.name = "mk",
     .init = "re",
     .loops = ROWS,
     .out = ROWS,
     .ins = {"mz"},
     .kinds = {ROWS},
     .num_ins = 1,
     .body = "%d = arith.mulf %a, %scale : f32\n"
             "%y = arith.negf %d : f32",
     .bounds = IS_BOUNDED},
    {.name = "p",
     .init = "pe",
     .loops = LOGITS,
     .out = LOGITS,
     .ins = {"s2", "mk"},
     .kinds = {LOGITS, ROWS},
     .num_ins = 2,
     .body = "%d = math.fma %a, %scale, %b : f32\n"
             "%y = math.exp2 %d fastmath<afn> : f32",
     .bounds = IS_BOUNDED},
    // From here on nothing reads the state of the round before: it is written
    // in place, which bufferization asks for.
    {.name = "m2",
     .init = "mx",
     .loops = ROWS,
     .out = ROWS,
     .ins = {"m1"},
     .kinds = {ROWS},
     .num_ins = 1,
     .body = "%y = arith.maximumf %a, %o : f32"},
    {.name = "l0",
     .init = "sm",
     .loops = ROWS,
     .out = ROWS,
     .ins = {"r"},
     .kinds = {ROWS},
     .num_ins = 1,
     .body = "%y = arith.mulf %o, %a : f32"},
    {.name = "l1",
     .init = "l0",
     .loops = LOGITS,
     .out = ROWS,
     .ins = {"p"},
     .kinds = {LOGITS},
     .num_ins = 1,
     .is_reduction = true,
     .body = "%y = arith.addf %a, %o : f32"},
    {.name = "a0",
     .init = "acc",
     .loops = RESULT,
     .out = RESULT,
     .ins = {"r"},
     .kinds = {ROWS},
     .num_ins = 1,
     .body = "%y = arith.mulf %o, %a : f32"},
};

// Round after round.
static void print_step(Writer *w) {
  const TileAttention *m = w->m;
  MlirType f32 = mlirF32TypeGet(mlirOperationGetContext(m->values.op));
  MlirType weights =
      element_of(mlirOperationGetOperand(m->values.op, m->weights));
  print_logits(w);
  print_empty(w, "re", ROWS, f32);
  print_empty(w, "pe", LOGITS, f32);
  print_empty(w, "we", LOGITS, weights);
  for (size_t i = 0; i < sizeof step_loops / sizeof *step_loops; i++)
    if (step_loops[i].bounds != (m->is_bounded ? IS_UNBOUNDED : IS_BOUNDED))
      print_loops(w, &step_loops[i]);
  TileString cast = {NULL, 0, 0};
  tile_string_print(&cast, "%%y = arith.truncf %%a : f32 to ");
  print_type(&cast, weights);
  const Loops rounded = {.name = "w",
                         .init = "we",
                         .loops = LOGITS,
                         .out = LOGITS,
                         .ins = {"p"},
                         .kinds = {LOGITS},
                         .num_ins = 1,
                         .body = tile_string_text(&cast),
                         .element = weights};
  print_loops(w, &rounded);
  tile_string_deinit(&cast);
  const char *parts[] = {m->weights ? "vs" : "w", m->weights ? "w" : "vs"};
  print_product(w, "a1", &m->values, parts, "a0", false);
}

static void print_carried(Writer *w) {
  MlirType f32 = mlirF32TypeGet(mlirOperationGetContext(w->m->values.op));
  print_kind(w, RESULT, f32);
  tile_string_print(&w->text, ", ");
  print_kind(w, ROWS, f32);
  tile_string_print(&w->text, ", ");
  print_kind(w, ROWS, f32);
}

// The sums by the weights that they have.
static void print_result(Writer *w) {
  const TileAttention *m = w->m;
  MlirType out = mlirShapedTypeGetElementType(result_type(m));
  TileString body = {NULL, 0, 0};
  const Loops invert = {.name = "inverse",
                        .init = "inversee",
                        .loops = ROWS,
                        .out = ROWS,
                        .ins = {"last#2"},
                        .kinds = {ROWS},
                        .num_ins = 1,
                        .body = "%y = arith.divf %unit, %a : f32"};
  print_empty(w, "inversee", ROWS,
              mlirF32TypeGet(mlirOperationGetContext(m->values.op)));
  print_loops(w, &invert);
  tile_string_print(&body, "%%%s = arith.mulf %%a, %%b : f32",
                    m->rounded.ptr ? "d" : "y");
  if (m->rounded.ptr) {
    tile_string_print(&body, "\n%%y = arith.truncf %%d : f32 to ");
    print_type(&body, out);
  }
  print_empty(w, "oe", RESULT, out);
  const Loops divide = {.name = "res",
                        .init = "oe",
                        .loops = RESULT,
                        .out = RESULT,
                        .ins = {"last#0", "inverse"},
                        .kinds = {RESULT, ROWS},
                        .num_ins = 2,
                        .body = tile_string_text(&body),
                        .element = out};
  print_loops(w, &divide);
  tile_string_deinit(&body);
}

// Heads of keys and values, where several heads of queries share them.
static void print_shared(Writer *w) {
  const TileAttention *m = w->m;
  for (int i = 0; i < 3; i++)
    for (int d = 0; d < rank_of(mlirValueGetType(m->inputs[i].tensor)); d++) {
      int role =
          i < 2 ? role_of_factor(m, i, d) : role_of_value(m, 1 - m->weights, d);
      if (m->inputs[i].num_sharing[d] > 1)
        tile_string_print(&w->text,
                          "%%i%d_of_%d = affine.apply affine_map<(d0) -> (d0 "
                          "floordiv %lld)>(%%i%d)\n",
                          role, i, (long long)m->inputs[i].num_sharing[d],
                          role);
    }
}

// The steps of keys that some query of the block sees.
static void print_reach(Writer *w) {
  const TileAttention *m = w->m;
  TileString *t = &w->text;
  if (m->reach.lo > -TILE_ATTENTION_FAR)
    tile_string_print(t,
                      "%%begin = affine.max affine_map<(d0) -> (0, ((d0 + "
                      "%lld) floordiv %lld) * %lld)>(%%q)\n",
                      (long long)m->reach.lo, (long long)m->step_keys,
                      (long long)m->step_keys);
  else
    tile_string_print(t, "%%begin = arith.constant 0 : index\n");
  if (m->reach.hi < TILE_ATTENTION_FAR)
    tile_string_print(t,
                      "%%end = affine.min affine_map<(d0)[s0] -> (s0, d0 + "
                      "%lld)>(%%q)[%%n%d]\n",
                      (long long)(m->reach.hi + m->block_queries), m->key);
  else
    tile_string_print(t,
                      "%%end = affine.apply affine_map<()[s0] -> "
                      "(s0)>()[%%n%d]\n",
                      m->key);
}

static void print_block(Writer *w) {
  const TileAttention *m = w->m;
  print_shared(w);
  int query_side = 0;
  for (int k = 0; k < rank_of(type_of_factor(m, 1)); k++)
    if (role_of_factor(m, 1, k) == m->query)
      query_side = 1;
  MlirType queries = type_of_factor(m, query_side);
  tile_string_print(&w->text,
                    "%%qn = affine.min affine_map<(d0)[s0] -> (-d0 + "
                    "s0, %lld)>(%%q)[%%n%d]\n",
                    (long long)m->block_queries, m->query);
  print_slice(w, "qs", query_side);
  tile_string_print(&w->text, "%%qe = bufferization.alloc_tensor(");
  print_dynamic_sizes(w, rank_of(queries), role_of_factor, query_side);
  tile_string_print(&w->text,
                    ") {memory_space = #gpu.address_space<workgroup>} : ");
  MlirType element = mlirShapedTypeGetElementType(queries);
  print_block_type(w, queries, rank_of(queries), role_of_factor, query_side,
                   element);
  tile_string_print(&w->text, "\n%%qc = linalg.copy ins(%%qs : ");
  print_block_type(w, queries, rank_of(queries), role_of_factor, query_side,
                   element);
  tile_string_print(&w->text, ") outs(%%qe : ");
  print_block_type(w, queries, rank_of(queries), role_of_factor, query_side,
                   element);
  tile_string_print(&w->text, ") -> ");
  print_block_type(w, queries, rank_of(queries), role_of_factor, query_side,
                   element);
  tile_string_print(&w->text, "\n");
  print_fill(w, "acc0", RESULT, "zero");
  print_fill(w, "mx0", ROWS, "low");
  print_fill(w, "sm0", ROWS, "zero");
  print_reach(w);
  tile_string_print(
      &w->text, "%%last:3 = scf.for %%k = %%begin to %%end step %%step "
                "iter_args(%%acc = %%acc0, %%mx = %%mx0, %%sm = %%sm0) -> (");
  print_carried(w);
  tile_string_print(&w->text, ") {\n");
  print_step(w);
  tile_string_print(&w->text, "scf.yield %%a1, %%m2, %%l1 : ");
  print_carried(w);
  tile_string_print(&w->text, "\n} {tile.num_stages = 2 : i32}\n");
  print_result(w);
}

// Weights are powers of two.
static const double LOG2_E = 1.4426950408889634;

static void print_signature(Writer *w, const char *name) {
  const TileAttention *m = w->m;
  MlirType result = result_type(m);
  TileString *t = &w->text;
  tile_string_print(t, "func.func private @chain(");
  print_kind(w, LOGITS, mlirF32TypeGet(mlirOperationGetContext(m->values.op)));
  for (int d = 0; d < 2 * m->rank; d++)
    tile_string_print(t, ", index");
  tile_string_print(t, ") -> ");
  print_kind(w, LOGITS, mlirF32TypeGet(mlirOperationGetContext(m->values.op)));
  tile_string_print(t, "\nfunc.func private @%s(%%f0: ", name);
  print_type(t, type_of_factor(m, 0));
  tile_string_print(t, ", %%f1: ");
  print_type(t, type_of_factor(m, 1));
  tile_string_print(t, ", %%v: ");
  print_type(t, type_of_values(m));
  for (int i = 0; i < m->num_outside; i++) {
    tile_string_print(t, ", %%t%d: ", i);
    print_type(t, mlirValueGetType(m->outside[i]));
  }
  tile_string_print(t, ") -> ");
  print_type(t, result);
  tile_string_print(t,
                    " {\n%%zero = arith.constant 0.0 : f32\n"
                    "%%low = arith.constant 0xFF800000 : f32\n"
                    "%%unit = arith.constant 1.0 : f32\n"
                    "%%scale = arith.constant %.9e : f32\n"
                    "%%c0 = arith.constant 0 : index\n"
                    "%%one = arith.constant 1 : index\n"
                    "%%step = arith.constant %lld : index\n",
                    m->scale * LOG2_E, (long long)m->step_keys);
  print_extents(w);
}

// The loop over blocks, up to its body; the queries are the fastest.
static void print_space(Writer *w) {
  const TileAttention *m = w->m;
  MlirType result = result_type(m);
  TileString *t = &w->text;
  tile_string_print(t, "%%init = tensor.empty(");
  const char *comma = "";
  for (int d = 0; d < rank_of(result); d++)
    if (mlirShapedTypeIsDynamicDim(result, d)) {
      tile_string_print(t, "%s%%n%d", comma, role_of_value(m, 2, d));
      comma = ", ";
    }
  tile_string_print(t, ") : ");
  print_type(t, result);
  tile_string_print(t, "\n%%out = scf.forall (");
  for (int part = 0; part < 4; part++) {
    tile_string_print(t, part == 0   ? ""
                         : part == 1 ? ") = ("
                         : part == 2 ? ") to ("
                                     : ") step (");
    for (int d = 0; d < m->rank; d++) {
      if (d == m->key || d == m->query)
        continue;
      tile_string_print(t,
                        part == 0   ? "%%i%d, "
                        : part == 1 ? "0, "
                        : part == 2 ? "%%n%d, "
                                    : "1, ",
                        d);
    }
    tile_string_print(t,
                      part == 0   ? "%%q"
                      : part == 1 ? "0"
                      : part == 2 ? "%%n%lld"
                                  : "%lld",
                      part == 2 ? (long long)m->query
                                : (long long)m->block_queries);
  }
  tile_string_print(t, ") shared_outs(%%dst = %%init) -> (");
  print_type(t, result);
  tile_string_print(t, ") {\n");
}

static void print_end(Writer *w) {
  const TileAttention *m = w->m;
  MlirType result = result_type(m);
  TileString *t = &w->text;
  tile_string_print(t, "scf.forall.in_parallel {\n"
                       "tensor.parallel_insert_slice %%res into %%dst");
  print_window(w, result, rank_of(result), role_of_value, 2, -1);
  tile_string_print(t, " : ");
  print_kind(w, RESULT, mlirShapedTypeGetElementType(result));
  tile_string_print(t, " into ");
  print_type(t, result);
  tile_string_print(t, "\n}\n} {mapping = [");
  for (int d = m->rank - 2; d >= 0; d--) { // a dimension each but for the keys
    static const char *const axes[] = {"x", "y", "z"};
    if (m->rank - 1 <= 3)
      tile_string_print(t, "#gpu.block<%s>", axes[d]);
    else
      tile_string_print(t, "#gpu.block<linear_dim_%d>", d);
    tile_string_print(t, d ? ", " : "");
  }
  tile_string_print(t, "], tile.num_threads = %lld : i64}\nreturn %%out : ",
                    (long long)m->num_threads);
  print_type(t, result);
  tile_string_print(t, "\n}\n");
}

void tile_attention_print(const TileAttention *attention, const char *name,
                          TileString *out) {
  Writer w = {.m = attention};
  print_signature(&w, name);
  print_space(&w);
  print_block(&w);
  print_end(&w);
  *out = w.text;
}
