//===- proof-boxes-test.c - Boxes that together cover one -----------------===//
//
// Whether boxes cover one is compared with counting elements, for random boxes
// of up to three dimensions.
//
//===----------------------------------------------------------------------===//

#include "Proof/Boxes.h"

#include <stdio.h>
#include <string.h>

enum { EXTENT = 4, MAX_BOXES = 6, NUM_TRIALS = 20000 };

static unsigned state = 1;

static int random_below(int limit) {
  state = state * 1103515245u + 12345u;
  return (int)(state >> 16 & 0x7fff) % limit;
}

static ProofBox random_box(int rank) {
  ProofBox out = {.rank = rank, .is_exact = random_below(5) != 0};
  for (int d = 0; d < rank; d++) {
    out.offset[d] = random_below(EXTENT);
    out.size[d] = 1 + random_below(EXTENT - (int)out.offset[d]);
  }
  return out;
}

static bool has(const ProofBox *box, const int *at) {
  for (int d = 0; d < box->rank; d++)
    if (at[d] < box->offset[d] || at[d] >= box->offset[d] + box->size[d])
      return false;
  return true;
}

static bool is_covered(const ProofBox *box, const ProofBox *boxes, int count) {
  int at[3];
  for (int i = 0; i < EXTENT * EXTENT * EXTENT; i++) {
    at[0] = i % EXTENT;
    at[1] = i / EXTENT % EXTENT;
    at[2] = i / EXTENT / EXTENT;
    if (!has(box, at))
      continue;
    bool found = false;
    for (int k = 0; k < count; k++)
      found |= boxes[k].is_exact && has(&boxes[k], at);
    if (!found)
      return false;
  }
  return true;
}

int main(void) {
  int num_covered = 0;
  for (int i = 0; i < NUM_TRIALS; i++) {
    ProofBox boxes[MAX_BOXES];
    int rank = 1 + random_below(3), count = random_below(MAX_BOXES + 1);
    ProofBox box = random_box(rank);
    for (int k = 0; k < count; k++)
      boxes[k] = random_box(rank);
    bool want = is_covered(&box, boxes, count);
    num_covered += want;
    if (proof_box_is_covered(&box, boxes, count) == want)
      continue;
    fprintf(stderr, "trial %d: %d boxes, covered: %d\n", i, count, want);
    return 1;
  }
  if (num_covered < NUM_TRIALS / 20) {
    fprintf(stderr, "%d boxes are covered\n", num_covered);
    return 1;
  }
  return 0;
}
