//===- MadeOps.c - Errors at ops that the compiler made -------------------===//

#include "Pipeline/MadeOps.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

// Why there is an op that nobody wrote; the first entry whose name the op
// begins with.
static const struct {
  const char *name, *why;
} reasons[] = {
    {"tile.barrier_sync",
     "to order accesses to shared memory (tile-insert-sync)"},
    {"tile.barrier", "so that copies under way are waited for (roles or a "
                     "pipeline: tile.num_stages)"},
    {"tile.fence_proxy", "to order accesses by TMA and by threads "
                         "(tile-insert-sync)"},
    {"tile.tma_wait", "because it stores by TMA (tile-insert-sync)"},
    {"tile.cp_async", "because its copies run ahead of their use "
                      "(tile-inject-pipeline)"},
    {"tile.await", "because its products overlap with other work "
                   "(tile-async-products)"},
    {"tile.acquire",
     "for roles (tile-ws-tiled); specialize = off does without"},
    {"tile.commit", "for roles (tile-ws-tiled); specialize = off does without"},
    {"tile.wait", "for roles (tile-ws-tiled); specialize = off does without"},
    {"tile.release",
     "for roles (tile-ws-tiled); specialize = off does without"},
    {"tile.advance",
     "for roles (tile-ws-tiled); specialize = off does without"},
    {"tile.channel",
     "for roles (tile-ws-tiled); specialize = off does without"},
    {"tile.role", "for roles (tile-ws-tiled); specialize = off does without"},
    {"tile.specialize",
     "for roles (tile-ws-tiled); specialize = off does without"},
    {"tile.num_sms", "to loop over tiles (tile-persist); persist = false does "
                     "without"},
    {"tile.block_swizzle", "to loop over tiles (tile-persist); persist = false "
                           "does without"},
    {"tile.tensor_map", "because TMA moves the tensor"},
    {"tile.alloc", "because it passes shared memory on its way"},
    {"tile.copy", "because it passes shared memory on its way"},
    {"tile.parallel", "as a loop over its elements (tile-expand-elements)"},
    {"gpu.func", "when it took the kernel out of its host function"},
    {"gpu.launch_func", "when it took the kernel out of its host function"},
};

static const char *reason_of(const char *name, size_t length) {
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
    size_t head = strlen(reasons[i].name);
    if (length >= head && memcmp(reasons[i].name, name, head) == 0)
      return reasons[i].why;
  }
  return "on the way to instructions";
}

static size_t word_length(const char *at, const char *end) {
  const char *start = at;
  while (at < end && (isalnum((unsigned char)*at) || *at == '_' || *at == '.'))
    at++;
  return (size_t)(at - start);
}

// "scf.for", or "for" where the dialect is left out.
static bool is_same(const char *name, size_t length, const char *word,
                    size_t word_bytes) {
  const char *dot = memchr(name, '.', length);
  size_t head = dot ? (size_t)(dot + 1 - name) : 0;
  return (length == word_bytes && memcmp(name, word, length) == 0) ||
         (length - head == word_bytes &&
          memcmp(name + head, word, word_bytes) == 0);
}

void tile_made_op_note(const char *message, const char *source, const char *end,
                       TileString *out) {
  static const char tail[] = "' op ";
  const char *name = message + 1;
  const char *close = *message == '\'' ? strstr(name, tail) : NULL;
  if (!close || !memchr(name, '.', (size_t)(close - name)))
    return;
  size_t length = (size_t)(close - name);
  if (source < end && *source == '"') // the generic form
    source++;
  size_t word_bytes = word_length(source, end);
  if (length != word_length(name, close) || word_bytes == 0 ||
      is_same(name, length, source, word_bytes))
    return;
  tile_string_print(out, "the compiler made '%.*s' of this '%.*s', %s",
                    (int)length, name, (int)word_bytes, source,
                    reason_of(name, length));
}
