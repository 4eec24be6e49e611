//===- Program.c - What the threads of a kernel do, without IR ------------===//

#include "Program.h"

static ProofUse use_of(ProofPlace place) {
  return (ProofUse){PROOF_NONE, place.window, place.slot, PROOF_NONE};
}

int proof_op_uses(const ProofOp *op, ProofUse out[PROOF_MAX_READS]) {
  switch (op->kind) {
  case PROOF_WAIT:
    out[0] =
        (ProofUse){op->wait.row, PROOF_NONE, op->wait.slot, op->wait.parity};
    return 1;
  case PROOF_ARRIVE:
    out[0] =
        (ProofUse){op->arrive.row, PROOF_NONE, op->arrive.slot, PROOF_NONE};
    return 1;
  case PROOF_FILL:
    out[0] = use_of(op->fill.place);
    out[1] =
        (ProofUse){op->fill.row, PROOF_NONE, op->fill.row_slot, PROOF_NONE};
    return op->fill.row < 0 ? 1 : 2;
  case PROOF_READ:
    for (int i = 0; i < op->read.count; i++)
      out[i] = use_of(op->read.places[i]);
    return op->read.count;
  default:
    return 0;
  }
}
