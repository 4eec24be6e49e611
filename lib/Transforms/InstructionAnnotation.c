//===- InstructionAnnotation.c - (being written) ===//
#include "Tile/Support/Diagnostics.h"
#include "TilePasses.h"
MlirLogicalResult tile_instruction_annotation_run(MlirOperation op, const TileInstructionAnnotationOptions *options) { (void)op; (void)options; return tile_success(); }
