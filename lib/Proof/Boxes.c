//===- Boxes.c - Windows as boxes of a tile -------------------------------===//

#include "Boxes.h"

// Takes away what the first of `boxes` has of `box`; the rest, at most two
// boxes per dimension, is asked of the others.
bool proof_box_is_covered(const ProofBox *box, const ProofBox *boxes,
                          int num_boxes) {
  ProofBox rest = *box;
  while (num_boxes > 0 &&
         (!boxes->is_exact || !proof_boxes_overlap(box, boxes))) {
    boxes++;
    num_boxes--;
  }
  if (num_boxes == 0)
    return false;
  for (int d = 0; d < box->rank; d++) {
    int64_t begin = rest.offset[d], end = begin + rest.size[d];
    int64_t first = boxes->offset[d], last = first + boxes->size[d];
    if (begin < first) {
      rest.size[d] = first - begin;
      if (!proof_box_is_covered(&rest, boxes + 1, num_boxes - 1))
        return false;
    }
    if (last < end) {
      rest.offset[d] = last;
      rest.size[d] = end - last;
      if (!proof_box_is_covered(&rest, boxes + 1, num_boxes - 1))
        return false;
    }
    rest.offset[d] = begin > first ? begin : first;
    rest.size[d] = (end < last ? end : last) - rest.offset[d];
  }
  return true;
}
