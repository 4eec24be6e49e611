//===- BarrierRecall.h - What decisions tell of later ones ----------------===//
//
// A fact is a condition as a term (BarrierTerms.h) and whether it holds of the
// numbers that an agent has now. Where scalars get new numbers, what is known
// of the old ones goes on as what is known of the new ones.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_BARRIER_RECALL_H
#define TILE_ANALYSIS_BARRIER_RECALL_H

#include "BarrierCode.h"
#include "BarrierTerms.h"

enum {
  RECALL_MAX_FACTS = 256,
  RECALL_WORDS = RECALL_MAX_FACTS / 32,
  RECALL_TRUE = -1,
  RECALL_NOTHING = -2
};

/// A fact, RECALL_TRUE or RECALL_NOTHING, or that it does not hold.
typedef struct {
  int fact;
  bool is_negated;
} RecallLiteral;

typedef enum {
  RECALL_PLAIN,
  RECALL_AND,
  RECALL_OR,
  RECALL_SELECT,
  RECALL_IMPLIED, // where parts[0] holds, the same as parts[1]; so of 2 and 3
} RecallKind;

enum { RECALL_MAX_PARTS = 4 };

typedef struct {
  BarrierTermId term;
  RecallKind kind;
  RecallLiteral parts[RECALL_MAX_PARTS];
  /// Facts that hold where this one does; that do not where it does not.
  uint32_t below[RECALL_WORDS], above[RECALL_WORDS];
} RecallFact;

/// `fact` becomes what `from` was.
typedef struct {
  int fact;
  RecallLiteral from;
} RecallMove;

/// What facts are at one place of the code of a role.
typedef struct {
  RecallLiteral condition; // of a decision
  RecallMove *moves;       // what executing it does; of a FOR, its end
  int num_moves, move_capacity;
  bool is_end;                 // moves from what is not known leave what is
  uint32_t live[RECALL_WORDS]; // that matter in front of it
} RecallCode;

typedef struct {
  BarrierTerms terms;
  RecallFact *facts;
  int num_facts;
  RecallCode *codes[TILE_PROTOCOL_MAX_ROLES];
} BarrierRecall;

/// Owner: `arena`.
void barrier_recall_build(const BarrierProgram *program,
                          const BarrierListing *listing, TileArena *arena,
                          BarrierRecall *out);

/// Of one agent: which facts are known, and which of these hold.
int barrier_recall_num_words(const BarrierRecall *recall);
/// What the decision at `code` must be: 1, 0, or -1 where that is not known.
int barrier_recall_outcome(const BarrierRecall *recall, const int32_t *words,
                           const RecallCode *code);
/// It was decided so.
void barrier_recall_learn(const BarrierRecall *recall, int32_t *words,
                          const RecallCode *code, bool outcome);
/// `code` is executed; a FOR: it ends.
void barrier_recall_move(const BarrierRecall *recall, int32_t *words,
                         const RecallCode *code);
/// Forgets what does not matter any more in front of `code`.
void barrier_recall_forget(const BarrierRecall *recall, int32_t *words,
                           const RecallCode *code);

#endif // TILE_ANALYSIS_BARRIER_RECALL_H
