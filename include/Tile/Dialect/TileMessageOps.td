//===- TileMessageOps.td - What kernels report: prints, asserts, clocks ---===//
#ifndef TILE_MESSAGE_OPS_TD
#define TILE_MESSAGE_OPS_TD

include "Tile/Dialect/TileAttrs.td"
include "Tile/Dialect/TileTypes.td"

def Tile_ClockKind : Tile_Enum<"ClockKind", "which counter a clock reads", [
    I32EnumAttrCase<"Cycles", 0, "cycles">,
    I32EnumAttrCase<"Nanoseconds", 1, "nanoseconds">]>;
def Tile_ClockKindAttr : EnumAttr<Tile_Dialect, Tile_ClockKind, "clock_kind">;

def Tile_PrintOp : Tile_Op<"print", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "prints scalars, or the elements of a tile";
  let description = [{
    In a kernel one thread of the block prints one line: the text, then the
    values. In the body of a `tile.parallel` every element prints its own line.
    A tile prints one line per element: its indices, then its value. Lines of
    different threads come in any order.

    In a `tile.role`, also one that the compiler makes, it is one thread of the
    role that prints. With `every_thread` each thread that executes the op, of
    the block or of the role, prints a line of its own, with its number in the
    block; such a print may take values that differ between the threads, such as
    ids of threads, and stand in a branch that some of them take. With
    `source_line` a line begins with the file and the line of the op.

    Floats are printed as %g does, integers with their sign, i1 as 0 or 1.

    Constraints:
    (C1) the values are integers, indices or floats that a tile can hold, or one
         memref in shared memory or a fragment, of rank 1 to 5;
    (C2) at most 16 values, with `every_thread` 15, and at most 512 characters of
         text, all printable;
    (C3) a tile is not printed in the body of a `tile.parallel`;
    (C4) with `every_thread` no tile is printed, and the op is outside the body
         of a `tile.parallel`.

    | operands | output |
    |---|---|
    | none | `text` |
    | scalars | `text: 1 2.5` |
    | a tile | `text: 0 3 2.5`, once per element |
    | scalars, `every_thread` | `text[37]: 1 2.5`, once per thread |
    | scalars, `source_line` | `kernel.mlir:12: text: 1 2.5` |

    Example:
    ```mlir
    tile.print "step"(%k, %norm : index, f32)
    tile.print "holds"(%x : f32) {every_thread, source_line}
    ```
  }];
  let arguments = (ins
    Arg<StrAttr, "what is printed first">:$text,
    Arg<Variadic<AnyType>, "what is printed after it">:$values,
    Arg<UnitAttr, "each thread prints a line">:$every_thread,
    Arg<UnitAttr, "file and line come first">:$source_line);
  let assemblyFormat = "$text (`(` $values^ `:` type($values) `)`)? attr-dict";
  let hasVerifier = 1;
  let cEffects = 1;
}

def Tile_AssertOp : Tile_Op<"assert", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "stops the program where a condition does not hold";
  let description = [{
    When `condition` is false the program ends with an error that shows `message`
    and the place in the source. In a kernel the condition is that of the whole
    block; in the body of a `tile.parallel` that of an element.

    Every thread that executes the op, of the block or of the role, checks its
    own condition, which may differ between them; the op may stand in a branch
    that some of them take. With `one_thread` the first one checks for all.

    Constraints:
    (C1) at most 512 characters of text, all printable;
    (C2) with `one_thread` the op is outside the body of a `tile.parallel`.

    | operand | type |
    |---|---|
    | `condition` | i1 |

    Example:
    ```mlir
    tile.assert %in_range, "an index leaves the table"
    ```
  }];
  let arguments = (ins Arg<I1, "what must hold">:$condition,
                       Arg<StrAttr, "what is said when it does not">:$message,
                       Arg<UnitAttr, "one thread checks for all">:$one_thread);
  let assemblyFormat = "$condition `,` $message attr-dict";
  let hasVerifier = 1;
  let cEffects = 1;
}

def Tile_ClockOp : Tile_Op<"clock", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "what time it is";
  let description = [{
    `time = counter`, where `counter` is

    | kind | PTX | counts | same for |
    |---|---|---|---|
    | `cycles` | `%clock64` | clock cycles | one multiprocessor |
    | `nanoseconds` | `%globaltimer` | nanoseconds; how often it moves depends on the chip | the GPU |

    The op keeps its place among ops with effects: those before it have been
    issued, those after it have not. What is asynchronous may still be under
    way: TMA copies, and products that nobody waits for. In a loop that becomes
    a pipeline or is split into roles, the clock belongs to the computing
    threads and says when they come by.

    Each thread that executes the op reads the counter for itself, so the results
    differ between them: they are printed, asserted and stored, where one thread
    prints and stores its own, and decide about no tile op.

    Constraints:
    (C1) the op is outside the body of a `tile.parallel`.

    Example: cycles of a loop.
    ```mlir
    %start = tile.clock cycles
    %end = tile.clock cycles
    %cycles = arith.subi %end, %start : i64
    tile.print "cycles"(%cycles : i64)
    ```
  }];
  let arguments = (ins Arg<Tile_ClockKindAttr, "the counter">:$kind);
  let results = (outs Res<I64, "its value">:$time);
  let assemblyFormat = "$kind attr-dict";
  let hasVerifier = 1;
  let cEffects = 1;
}

#endif // TILE_MESSAGE_OPS_TD
