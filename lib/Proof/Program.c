//===- Program.c - What the threads of a kernel do, without IR ------------===//

#include "Program.h"

int proof_op_slots(const ProofOp *op, ProofScalarId out[PROOF_MAX_READS]) {
  int count = 0;
  switch (op->kind) {
  case PROOF_WAIT:
    out[count++] = op->wait.slot;
    break;
  case PROOF_ARRIVE:
    out[count++] = op->arrive.slot;
    break;
  case PROOF_FILL:
    out[count++] = op->fill.place.slot;
    if (op->fill.how == PROOF_BY_TMA && op->fill.row >= 0)
      out[count++] = op->fill.row_slot;
    break;
  case PROOF_READ:
    while (count < op->read.count) {
      out[count] = op->read.places[count].slot;
      count++;
    }
    break;
  default:
    break;
  }
  return count;
}
