//===- RoleReasons.c - What the codes of tile-ws-tiled mean ---------------===//
//
// docs/Remarks.md lists the same codes.
//
//===----------------------------------------------------------------------===//

#include "Roles.h"

#include <assert.h>
#include <string.h>

#define READ_ONLY_HELP                                                         \
  "read it from global memory that the kernel does not write"

#define DATA_TEXTS(what, name)                                                 \
  {"tile-ws/" what "-consumer-data",                                           \
   name " depends on what the computing warps make", READ_ONLY_HELP,           \
   "it depends on this", NULL},                                                \
      {"tile-ws/" what "-written-global",                                      \
       name " depends on a tensor that the kernel may write", READ_ONLY_HELP,  \
       "it is read here", NULL},                                               \
  {                                                                            \
    "tile-ws/" what "-side-effect",                                            \
        name " depends on an op that cannot be executed twice",                \
        "do it before the launch", "it depends on this", NULL                  \
  }

static const TileRoleText texts[] = {
    // Of a copy.
    {"tile-ws/consumer-write",
     "an op other than a copy from global memory "
     "writes the tile too",
     "write another tile; fill the rows that a condition leaves out in its "
     "else, and not before",
     "it is written here", NULL},
    {"tile-ws/source-written", "the kernel may write what is copied",
     "write another tensor; arguments marked tile.may_alias count as one",
     "it is written here", NULL},
    {"tile-ws/unsupported-use",
     "the tile is used in a way that has no form on "
     "a slot of a ring",
     "use the tile, or windows of it, in tile ops and memref.load",
     "it is used here", NULL},
    {"tile-ws/foreign-control",
     "the tile is filled inside control flow other "
     "than scf.for, scf.if and scf.while",
     "use one of these", "it is filled in this op", NULL},
    {"tile-ws/cluster-sync",
     "the blocks of the cluster meet before it, and a producer would be late",
     "meet after the last copy", "they meet here", NULL},
    DATA_TEXTS("address", "the address of the copy"),
    DATA_TEXTS("guard", "a condition around the copy"),
    DATA_TEXTS("bound", "a bound of a loop around the copy"),
    DATA_TEXTS("while", "the condition of a while around the copy"),
    DATA_TEXTS("element", "what an element loop computes"),
    {"tile-ws/stale-read",
     "what is read after the branch may be older than "
     "the copy in it",
     "copy in both branches, or read under the same condition",
     "on one path through this op the tile keeps what it held", NULL},
    {"tile-ws/partial-fill",
     "a part of what is read is not filled by the same "
     "run of copies",
     "copy the whole tile at once, or use two tiles; fill the rows that a "
     "condition leaves out in its else",
     "it is read here", NULL},
    {"tile-ws/no-fill-on-path",
     "the tile is read on a path that does not fill "
     "it",
     "copy before every read", "it is read here", NULL},
    {"tile-ws/too-many-stages", "the ring would be too long",
     "ask for fewer stages", "it is filled here", "slots"},
    {"tile-ws/shared-memory", "the rings of all tiles do not fit",
     "ask for fewer stages; what the computing warps keep may share bytes "
     "with tiles that live at other times",
     NULL, "bytes"},
    {"tile-ws/few-producer-warps",
     "the producer that was asked for has fewer than 4 warps",
     "ask for 4 or 8, or leave the choice", NULL, NULL},
    {"tile-ws/decides",
     "the producer decides by what the tile holds, and copies it for itself",
     "decide by a scalar of it, or by any_of or all_of of the tile itself",
     NULL, NULL},
    {"tile-ws/slice-registers",
     "the producer would compute its address or a condition around it in more "
     "registers than its threads have to spare",
     "compute it from smaller tiles", NULL, "registers"},
    {"tile-ws/slice-bytes",
     "the producer would compute its address or a condition around it in more "
     "shared memory than is worth it",
     "compute it from smaller tiles", NULL, "bytes"},
    // Of a loop.
    {"tile-ws/no-candidate", "it holds no copy that TMA can do",
     "tile-instruction-annotation says why; tile.specialize = \"required\" "
     "takes cp.async as well",
     NULL, NULL},
    {"tile-ws/no-async", "it holds no copy that TMA or cp.async can do",
     "tile-instruction-annotation says why", NULL, NULL},
    {"tile-ws/no-tile", "it fills no shared tile from a tensor",
     "what it copies to a shared tile a producer can copy ahead", NULL, NULL},
    {"tile-ws/nothing-left", "none of its copies can move to a producer",
     "see the remarks on the copies", NULL, NULL},
    // Of a kernel.
    {"tile-ws/off", "tile.kernel_config turns roles off",
     "remove one of the two wishes", NULL, NULL},
    {"tile-ws/user-sync",
     "the kernel synchronises its threads itself, or asks for them",
     "leave both to the compiler, or write tile.specialize yourself",
     "this op does", NULL},
    {"tile-ws/kernel-results", "the kernel returns values",
     "write them to memory", "they are returned here", NULL},
    {"tile-ws/too-many-threads",
     "the block would have more threads than the "
     "chip allows with a producer",
     "use fewer computing threads", NULL, "threads"},
    {"tile-ws/plain-registers",
     "beside a producer that loads and stores some copies itself the computing "
     "threads have fewer registers than their fragments want",
     "align the rows of the tensors, so that TMA copies them; smaller "
     "tiles or more computing threads",
     NULL, "registers per thread"},
    {"tile-ws/too-few-registers",
     "with a producer the launch would give its "
     "threads fewer registers than one product "
     "takes",
     "use fewer computing threads, or a tile of fewer columns", NULL,
     "registers per thread"},
};

const TileRoleText *tile_role_text(const char *code) {
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (!strcmp(texts[i].code, code))
      return &texts[i];
  assert(false && "every code has texts");
  return NULL;
}
