//===- Async.h - Asynchronous copies and matrix products in flight --------===//
//
// An asynchronous instruction checks everything when it is issued and then
// puts an operation into the list of the cluster. The scheduler decides when
// it runs: at once, later, or only when nothing else can go on. What a kernel
// may rely on is exactly what it waits for.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_ASYNC_H
#define TILE_EMULATOR_ASYNC_H

#include "Emulator/Machine.h"
#include "Emulator/Ptx/Decode.h"
#include "Emulator/Ptx/Ptx.h"
#include "Tile/Support/TensorMap.h"

typedef enum {
  TILE_ASYNC_LOAD,            // TMA or bulk: global to shared, complete_tx
  TILE_ASYNC_STORE,           // TMA or bulk: shared to global, bulk group
  TILE_ASYNC_CP_ASYNC,        // cp.async of a warp
  TILE_ASYNC_CP_ASYNC_ARRIVE, // cp.async.mbarrier.arrive
  TILE_ASYNC_WGMMA,
  TILE_ASYNC_REMOTE // to shared memory of the cluster, complete_tx
} TileAsyncKind;

/// `size_bytes` of shared memory from `shared`, of which [first, end) are in
/// global memory at `global`; the others are out of bounds.
typedef struct {
  uint8_t *global;
  uint32_t shared, size_bytes;
  uint32_t first, end;
  uint32_t tensor_end; // of a store: of what `end` rounds up
} TileAsyncRow;

struct TileAsyncOp {
  TileAsyncKind kind;
  TileWarp *warp;
  const TileInsn *insn;
  uint32_t lane;   // that issued it
  TileLanes lanes; // all it was issued for
  uint64_t due, number;
  uint64_t issued_at; // for traces
  TileCta *cta;       // of the shared memory
  TileAsyncRow *rows;
  uint32_t num_rows, next_row, size_bytes;
  uint8_t swizzle;       // 0 none, 1: 32, 2: 64, 3: 128 bytes
  uint32_t fill_pattern; // of bytes out of bounds
  bool is_tf32;          // a load rounds f32 to tf32
  const uint8_t *map; // of a copy of a tensor, and its bytes when it was issued
  uint8_t map_bytes[TILE_TENSOR_MAP_SIZE_BYTES];
  union {
    struct {
      uint32_t cta_mask, mbarrier;
      uint32_t phases[TILE_MAX_CLUSTER_CTAS];
    } load;
    struct {
      uint8_t *staged; // after the read half
      uint32_t group;
      uint8_t reduction, type;
      bool flushes_denormals; // of a reduction
    } store;
    struct {
      TileCta *source; // of a bulk copy; NULL: `value`
      uint32_t source_offset, offset, mbarrier, phase, done_bytes;
      uint8_t reduction, type; // as of `store`
      uint8_t value[16];
    } remote;
    struct {
      uint32_t groups[TILE_WARP_SIZE];
    } cp_async;
    struct {
      uint32_t mbarriers[TILE_WARP_SIZE], batches[TILE_WARP_SIZE];
    } arrive;
    struct {
      TileAsyncOp *next; // of the warp
      uint32_t number;   // within the warp
      uint64_t a, b;     // descriptors
      uint32_t *a_fragment;
      bool accumulate;
    } wgmma;
  } as;
};

//===-- AsyncEngine.c -----------------------------------------------------===//

/// A new operation, not in the list yet.
TileAsyncOp *tile_emu_async_create(TileWarp *warp, const TileInsn *insn,
                                   TileAsyncKind kind, uint32_t num_rows);
/// Frees an operation that was never issued or was taken from the list.
void tile_emu_async_destroy(TileAsyncOp *op);
void tile_emu_async_issue(TileAsyncOp *op);
/// Runs what is due. False when nothing was.
bool tile_emu_async_run_due(TileCluster *cluster);
/// Runs some operation that can run, due or not. False when there is none.
bool tile_emu_async_force(TileCluster *cluster);
/// Completes the wgmma operations of a warp.
void tile_emu_async_drain_wgmma(TileWarp *warp);
/// True when an operation of `kind` that belongs to `lane` of the warp is in
/// flight and `is_wanted` says so.
bool tile_emu_async_is_pending(const TileWarp *warp, uint32_t lane,
                               TileAsyncKind kind, int64_t groups_before,
                               bool only_reads);

//===-- Bytes of copies ---------------------------------------------------===//

/// Offset of a 16-byte unit after the swizzle `mode` (0 to 3).
/// Source: PTX ISA, "Swizzling Modes".
static inline uint32_t tile_swizzle(uint32_t offset, uint32_t mode) {
  static const uint32_t masks[4] = {0, 1, 3, 7};
  return offset ^ (((offset >> 7) & masks[mode & 3]) << 4);
}

/// WgmmaExecute.c
void tile_emu_wgmma_run(TileAsyncOp *op);

//===-- Tensor maps -------------------------------------------------------===//

#define TILE_TENSOR_MAP_MAGIC 0x544d4150u

/// Our own encoding of the 128 opaque bytes. `reserved` covers bits that some
/// kernel libraries clear to work around a driver defect.
typedef struct {
  uint32_t magic;
  uint8_t type; // TilePtxType
  uint8_t rank;
  uint8_t swizzle; // 0 none, 1: 32, 2: 64, 3: 128 bytes
  uint8_t fills_nan;
  uint64_t reserved;
  uint64_t address;
  uint64_t strides_bytes[TILE_TENSOR_MAP_MAX_RANK - 1]; // of dimensions 1, …
  uint32_t last[TILE_TENSOR_MAP_MAX_RANK];              // dimension - 1
  uint16_t box[TILE_TENSOR_MAP_MAX_RANK];               // im2col: [0] channels
  uint8_t elem_strides[TILE_TENSOR_MAP_MAX_RANK];
  bool is_im2col, flushes_denormals;
  uint8_t interleave; // 0; others are not modelled
  uint16_t num_pixels;
  int16_t lower_corner[TILE_TENSOR_MAP_MAX_RANK - 2];
  int16_t upper_corner[TILE_TENSOR_MAP_MAX_RANK - 2];
} TileEncodedMap;

/// Every field is in range; memory of a kernel may hold anything.
bool tile_emu_encoded_map_is_valid(const TileEncodedMap *map);

/// Elements of dimension `dim` that one box takes.
static inline uint32_t tile_encoded_map_count(const TileEncodedMap *map,
                                              uint32_t dim) {
  uint32_t step = dim ? map->elem_strides[dim] : 1;
  return (map->box[dim] + step - 1) / step;
}

//===-- Tensor maps that kernels change: Fence.c --------------------------===//

/// Maps of one launch that CTAs have acquired.
typedef struct TileMapProxy TileMapProxy;
TileMapProxy *tile_emu_map_proxy_create(void);
void tile_emu_map_proxy_destroy(TileMapProxy *proxy);

/// The lane releases what it wrote to tensor maps.
void tile_emu_map_proxy_release(TileWarp *warp, uint32_t lane);

/// The lane uses the tensor map at `address`. Reports when the launch changed
/// it and the fences for that are missing.
void tile_emu_map_proxy_check(TileWarp *warp, const TileInsn *insn,
                              uint32_t lane, uint64_t address);

/// Reports where the tensor map of a copy was overwritten before the copy has
/// read it, which it may do until its data has arrived, or its source was read.
void tile_emu_map_use_end(const TileAsyncOp *op);

//===-- Shared memory of other CTAs ---------------------------------------===//

/// Shared memory of `cta` that an operation writes asynchronously, and the
/// mbarrier that learns of it.
typedef struct {
  uint32_t address, size_bytes;
  uint32_t mbarrier;   // address
  uint8_t reduction;   // 1 + TileAtomicOp, 0: plain write
  TilePtxType type;    // of a reduction
  bool is_async_proxy; // of the write
  const char *what;    // "st.async ", …
} TileRemoteWrite;

/// An operation with everything checked, not yet issued; NULL after a report.
TileAsyncOp *tile_emu_remote_create(TileWarp *warp, const TileInsn *insn,
                                    uint32_t lane,
                                    const TileRemoteWrite *write);

/// cp.async.bulk and cp.reduce.async.bulk between CTAs. The address of the
/// mbarrier is the last operand but a cache policy.
void tile_emu_decode_bulk_remote(TileDecoder *decoder);

#endif // TILE_EMULATOR_ASYNC_H
