//===- ProtocolSwitch.c - A switch as branches ----------------------------===//
//
// `scf.index_switch` is one branch in the other: case 0, else case 1, …, else
// the default, which is region 0.
//
//===----------------------------------------------------------------------===//

#include "ProtocolExtract.h"

TileProtocolNode *extract_switch(Writer *w, ScfIndexSwitchOp op, intptr_t i) {
  Extract *e = w->extract;
  TileProtocolNode *node = extract_add_node(w, TILE_PROTOCOL_IF, op.op);
  MlirValue none = {NULL};
  node->condition = extract_combined(
      w, TILE_PROTOCOL_FN_EQ, extract_scalar(e, scf_index_switch_arg(op)),
      extract_constant(e, scf_index_switch_cases(op, i)));
  node->num_values = (int)mlirOperationGetNumResults(op.op);
  extract_branch(w, op.op, i + 1, node, 0);
  if (i + 1 == scf_index_switch_cases_size(op)) {
    extract_branch(w, op.op, 0, node, 1);
  } else {
    Writer rest = {.extract = e, .block = &node->blocks[1], .role = w->role};
    node->yields[1] = extract_switch(&rest, op, i + 1)->results;
  }
  node->results = extract_ids(e, node->num_values);
  for (int r = 0; r < node->num_values; r++)
    node->results[r] =
        extract_bound(e, i ? none : mlirOperationGetResult(op.op, r),
                      TILE_PROTOCOL_RESULT, node, r);
  return node;
}
