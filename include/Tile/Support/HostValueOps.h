//===- HostValueOps.h - What host code may compute for its launches -------===//
//
// The ops of the table `values` of launch metadata (docs/Metadata.md), once for
// the compiler that writes it and the launcher that evaluates it.
//
// X(NAME, spelling, kind): most spellings are those of MLIR, whose ops the
// compiler takes as they are, operands in order.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_SUPPORT_HOST_VALUE_OPS_H
#define TILE_SUPPORT_HOST_VALUE_OPS_H

/// What an op takes and gives.
typedef enum {
  TILE_HOST_LEAF,         // no operands
  TILE_HOST_INT_BINARY,   // two integers and their type
  TILE_HOST_CMPI,         // two integers: an i1
  TILE_HOST_SELECT,       // an i1 and two values of one type
  TILE_HOST_INT_CAST,     // an integer to an integer
  TILE_HOST_FLOAT_UNARY,  // a float and its type
  TILE_HOST_FLOAT_BINARY, // two floats and their type
  TILE_HOST_FLOAT_FMA,    // three floats and their type
  TILE_HOST_CMPF,         // two floats: an i1
  TILE_HOST_FLOAT_CAST,   // a float to a float
  TILE_HOST_TO_FLOAT,     // an integer to a float
  TILE_HOST_TO_INT,       // a float to an integer
  TILE_HOST_INT_UNARY     // an integer and its type
} TileHostValueKind;

// Leaves are made by the compiler, but for tile.num_sms.
#define TILE_HOST_VALUE_LEAVES(X)                                              \
  X(CONSTANT, "constant", LEAF)                                                \
  X(ARGUMENT, "argument", LEAF)                                                \
  X(DIM, "memref.dim", LEAF)                                                   \
  X(STRIDE, "memref.stride", LEAF)                                             \
  X(POINTER, "memref.pointer", LEAF)                                           \
  X(GLOBAL, "memref.global", LEAF)                                             \
  X(VARIABLE, "variable", LEAF)

#define TILE_HOST_VALUE_INTS(X)                                                \
  X(NUM_SMS, "tile.num_sms", LEAF)                                             \
  X(ADDI, "arith.addi", INT_BINARY)                                            \
  X(SUBI, "arith.subi", INT_BINARY)                                            \
  X(MULI, "arith.muli", INT_BINARY)                                            \
  X(DIVSI, "arith.divsi", INT_BINARY)                                          \
  X(DIVUI, "arith.divui", INT_BINARY)                                          \
  X(CEILDIVSI, "arith.ceildivsi", INT_BINARY)                                  \
  X(CEILDIVUI, "arith.ceildivui", INT_BINARY)                                  \
  X(FLOORDIVSI, "arith.floordivsi", INT_BINARY)                                \
  X(REMSI, "arith.remsi", INT_BINARY)                                          \
  X(REMUI, "arith.remui", INT_BINARY)                                          \
  X(MINSI, "arith.minsi", INT_BINARY)                                          \
  X(MINUI, "arith.minui", INT_BINARY)                                          \
  X(MAXSI, "arith.maxsi", INT_BINARY)                                          \
  X(MAXUI, "arith.maxui", INT_BINARY)                                          \
  X(ANDI, "arith.andi", INT_BINARY)                                            \
  X(ORI, "arith.ori", INT_BINARY)                                              \
  X(XORI, "arith.xori", INT_BINARY)                                            \
  X(SHLI, "arith.shli", INT_BINARY)                                            \
  X(SHRSI, "arith.shrsi", INT_BINARY)                                          \
  X(SHRUI, "arith.shrui", INT_BINARY)                                          \
  X(CMPI, "arith.cmpi", CMPI)                                                  \
  X(SELECT, "arith.select", SELECT)                                            \
  X(EXTSI, "arith.extsi", INT_CAST)                                            \
  X(EXTUI, "arith.extui", INT_CAST)                                            \
  X(TRUNCI, "arith.trunci", INT_CAST)                                          \
  X(INDEX_CAST, "arith.index_cast", INT_CAST)                                  \
  X(INDEX_CASTUI, "arith.index_castui", INT_CAST)

// Of version 2.
#define TILE_HOST_VALUE_FLOATS(X)                                              \
  X(ADDF, "arith.addf", FLOAT_BINARY)                                          \
  X(SUBF, "arith.subf", FLOAT_BINARY)                                          \
  X(MULF, "arith.mulf", FLOAT_BINARY)                                          \
  X(DIVF, "arith.divf", FLOAT_BINARY)                                          \
  X(REMF, "arith.remf", FLOAT_BINARY)                                          \
  X(MAXIMUMF, "arith.maximumf", FLOAT_BINARY)                                  \
  X(MINIMUMF, "arith.minimumf", FLOAT_BINARY)                                  \
  X(MAXNUMF, "arith.maxnumf", FLOAT_BINARY)                                    \
  X(MINNUMF, "arith.minnumf", FLOAT_BINARY)                                    \
  X(POWF, "math.powf", FLOAT_BINARY)                                           \
  X(ATAN2, "math.atan2", FLOAT_BINARY)                                         \
  X(COPYSIGN, "math.copysign", FLOAT_BINARY)                                   \
  X(FMA, "math.fma", FLOAT_FMA)                                                \
  X(CMPF, "arith.cmpf", CMPF)                                                  \
  X(NEGF, "arith.negf", FLOAT_UNARY)                                           \
  X(ABSF, "math.absf", FLOAT_UNARY)                                            \
  X(SQRT, "math.sqrt", FLOAT_UNARY)                                            \
  X(RSQRT, "math.rsqrt", FLOAT_UNARY)                                          \
  X(EXP, "math.exp", FLOAT_UNARY)                                              \
  X(EXP2, "math.exp2", FLOAT_UNARY)                                            \
  X(EXPM1, "math.expm1", FLOAT_UNARY)                                          \
  X(LOG, "math.log", FLOAT_UNARY)                                              \
  X(LOG2, "math.log2", FLOAT_UNARY)                                            \
  X(LOG10, "math.log10", FLOAT_UNARY)                                          \
  X(LOG1P, "math.log1p", FLOAT_UNARY)                                          \
  X(SIN, "math.sin", FLOAT_UNARY)                                              \
  X(COS, "math.cos", FLOAT_UNARY)                                              \
  X(TAN, "math.tan", FLOAT_UNARY)                                              \
  X(TANH, "math.tanh", FLOAT_UNARY)                                            \
  X(ERF, "math.erf", FLOAT_UNARY)                                              \
  X(CEIL, "math.ceil", FLOAT_UNARY)                                            \
  X(FLOOR, "math.floor", FLOAT_UNARY)                                          \
  X(ROUND, "math.round", FLOAT_UNARY)                                          \
  X(ROUNDEVEN, "math.roundeven", FLOAT_UNARY)                                  \
  X(TRUNC, "math.trunc", FLOAT_UNARY)                                          \
  X(EXTF, "arith.extf", FLOAT_CAST)                                            \
  X(TRUNCF, "arith.truncf", FLOAT_CAST)                                        \
  X(SITOFP, "arith.sitofp", TO_FLOAT)                                          \
  X(UITOFP, "arith.uitofp", TO_FLOAT)                                          \
  X(FPTOSI, "arith.fptosi", TO_INT)                                            \
  X(FPTOUI, "arith.fptoui", TO_INT)                                            \
  X(ABSI, "math.absi", INT_UNARY)                                              \
  X(CTLZ, "math.ctlz", INT_UNARY)                                              \
  X(CTTZ, "math.cttz", INT_UNARY)                                              \
  X(CTPOP, "math.ctpop", INT_UNARY)

#define TILE_HOST_VALUE_OPS(X)                                                 \
  TILE_HOST_VALUE_LEAVES(X) TILE_HOST_VALUE_INTS(X) TILE_HOST_VALUE_FLOATS(X)

/// Spellings of predicates, numbered as in the arith dialect.
#define TILE_HOST_CMPI_PREDICATES                                              \
  "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"
#define TILE_HOST_CMPF_PREDICATES                                              \
  "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt",      \
      "uge", "ult", "ule", "une", "uno", "true"

#endif // TILE_SUPPORT_HOST_VALUE_OPS_H
