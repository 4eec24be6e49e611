//===- Boxes.h - Windows as boxes of a tile -------------------------------===//
#ifndef TILE_PROOF_BOXES_H
#define TILE_PROOF_BOXES_H

#include "Program.h"

/// A box of elements of a buffer; the slot is the first dimension.
typedef struct {
  int rank;
  int64_t offset[PROOF_MAX_RANK + 1], size[PROOF_MAX_RANK + 1];
  bool is_exact; // else it may be less than that
} ProofBox;

static inline bool proof_boxes_overlap(const ProofBox *a, const ProofBox *b) {
  for (int d = 0; d < a->rank; d++)
    if (a->offset[d] + a->size[d] <= b->offset[d] ||
        b->offset[d] + b->size[d] <= a->offset[d])
      return false;
  return true;
}
/// Whether `outer` surely has all of `inner`.
static inline bool proof_box_is_inside(const ProofBox *outer,
                                       const ProofBox *inner) {
  for (int d = 0; d < outer->rank; d++)
    if (inner->offset[d] < outer->offset[d] ||
        inner->offset[d] + inner->size[d] > outer->offset[d] + outer->size[d])
      return false;
  return outer->is_exact;
}
/// Whether `boxes` together surely have all of `box`.
bool proof_box_is_covered(const ProofBox *box, const ProofBox *boxes,
                          int num_boxes);

#endif // TILE_PROOF_BOXES_H
