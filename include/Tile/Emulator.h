//===- Emulator.h - Executes PTX text on a CPU ----------------------------===//
//
// Plain C, no MLIR. An emulator object is a device: it owns memory, executes
// kernels of parsed modules and keeps what it found wrong. Device addresses
// are host addresses, so the host reads and writes device memory directly.
// Objects are not thread safe; different objects may be used concurrently.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_H
#define TILE_EMULATOR_H

#include "Tile/Support/Status.h"
#include "Tile/Support/TensorMap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

//===-- Modules -----------------------------------------------------------===//

typedef struct TileEmuModule TileEmuModule;

typedef struct {
  const char *name;
  size_t offset_bytes, size_bytes, align_bytes;
} TileEmuParam;

typedef struct {
  const char *name;
  size_t num_params;
  const TileEmuParam *params;
  size_t static_smem_bytes;
  uint32_t reqntid[3], maxntid[3], cluster[3]; // 0: not given
} TileEmuKernelInfo;

/// Parses PTX. Errors: names `name`, the line and what is not understood.
/// Owner: the caller, tile_emu_module_destroy. The text is copied.
TileStatus tile_emu_module_parse(const char *ptx, size_t size_bytes,
                                 const char *name, TileEmuModule **out_module);
void tile_emu_module_destroy(TileEmuModule *module);
size_t tile_emu_module_num_kernels(const TileEmuModule *module);
/// Borrowed; lives as long as the module.
const TileEmuKernelInfo *tile_emu_module_kernel(const TileEmuModule *module,
                                                size_t index);

/// Where a variable of the module (.global or .const) lies and its size; false
/// when there is none of that name.
bool tile_emu_module_variable(const TileEmuModule *module, const char *name,
                              void **out_memory, size_t *out_size_bytes);

//===-- Device ------------------------------------------------------------===//

typedef struct TileEmu TileEmu;

/// When asynchronous work completes and who runs next.
typedef enum {
  TILE_EMU_SCHEDULE_MIXED,
  TILE_EMU_SCHEDULE_EAGER,
  TILE_EMU_SCHEDULE_LAZY,
  TILE_EMU_SCHEDULE_RANDOM,
  TILE_EMU_SCHEDULE_PRIORITY // random priorities that change at a few points
} TileEmuSchedule;

enum { TILE_EMU_MAX_PRIORITY_CHANGES = 64 };

/// How far a launch is.
typedef struct {
  uint64_t num_ctas_done, num_ctas;
  uint64_t num_instructions; // of warps
} TileEmuProgress;

typedef struct {
  uint64_t seed; // same seed, same run
  TileEmuSchedule schedule;
  bool detect_races;         // happens-before detector; on by default
  bool pedantic;             // also report what production code gets away with
  int num_threads;           // host threads over clusters; 0 = 1
  uint64_t max_instructions; // per launch, 0 = the default limit
  uint64_t max_memory_bytes; // of the CTAs that run at a time; 0 = 4 GiB
  int max_findings;          // further ones are counted only; 0 = default
  int num_priority_changes;  // of TILE_EMU_SCHEDULE_PRIORITY; default 3
  int num_sms;               // multiprocessors of the device; 0 = 132
  int registers_per_thread;  // at launch, for setmaxnreg; 0 = from the PTX
  /// As many CTAs as the device has room for run at the same time, so that
  /// they can wait for each other. Otherwise clusters run one after another.
  bool co_resident;
  bool collect_statistics; // for tile_emu_statistics_text and the JSON report
  bool trace;              // for tile_emu_trace_json
  /// Called often during a launch, by one host thread at a time; NULL: not.
  void (*progress)(void *user_data, const TileEmuProgress *progress);
  void *progress_data;
} TileEmuOptions;

typedef struct {
  uint64_t num_warp_instructions, num_lane_instructions, num_async_ops;
} TileEmuStats;

/// "mixed", "eager", …; NULL when there is no such schedule.
const char *tile_emu_schedule_name(TileEmuSchedule schedule);

void tile_emu_options_init(TileEmuOptions *out_options);
TileStatus tile_emu_create(const TileEmuOptions *options, TileEmu **out_emu);
void tile_emu_destroy(TileEmu *emu);

/// Allocates zero-filled device memory, 256-byte aligned, with guard zones.
/// `name` appears in reports and is copied. Owner: the emulator object.
TileStatus tile_emu_alloc(TileEmu *emu, size_t size_bytes, const char *name,
                          void **out_memory);

/// Makes memory of the caller accessible to kernels, as memory that the driver
/// registers. Owner: the caller, who keeps it until tile_emu_free.
TileStatus tile_emu_map_host(TileEmu *emu, void *memory, size_t size_bytes,
                             const char *name);

/// Ends what tile_emu_alloc or tile_emu_map_host began; kernels that use the
/// memory later are out of bounds. Errors: no memory begins at `memory`.
TileStatus tile_emu_free(TileEmu *emu, void *memory);

/// Writes the 128-byte map (64-byte aligned) that a kernel of the emulator
/// takes as a parameter. Errors: every rule of the driver, with the numbers.
TileStatus tile_emu_tensor_map_encode(const TileTensorMap *map, void *out_map);

/// Changes the address of an encoded map. Errors: not a map, or the address is
/// not 16-byte aligned.
TileStatus tile_emu_tensor_map_replace_address(void *map, uint64_t address);

/// CTAs of this size that a multiprocessor has room for, 0 when not even one.
/// Registers are not counted, since PTX does not say how many there are.
int tile_emu_ctas_per_sm(uint32_t threads_per_cta, size_t smem_bytes);

typedef struct {
  uint32_t grid[3], block[3], cluster[3]; // cluster 0,0,0 = 1,1,1
  size_t dynamic_smem_bytes;
  void **args; // one pointer per kernel parameter, to its value
  size_t num_args;
  /// All CTAs run at the same time: a launch that does not fit on the device is
  /// refused. TileEmuOptions.co_resident runs as many as fit.
  bool co_resident;
} TileEmuLaunch;

/// Runs a kernel to its end. Errors: USER_ERROR for a launch the driver would
/// refuse, KERNEL_FAILED when anything was found; the message is the first
/// finding, tile_emu_report has all.
TileStatus tile_emu_launch(TileEmu *emu, TileEmuModule *module,
                           const char *kernel, const TileEmuLaunch *launch);

/// All findings since creation, as text, one paragraph each; "" when none.
/// Borrowed until the next launch.
const char *tile_emu_report(const TileEmu *emu);
size_t tile_emu_num_findings(const TileEmu *emu);

/// An instruction. Texts are NULL when they are not known.
typedef struct {
  uint32_t ptx_line; // 0: none
  const char *opcode, *source_file;
  uint32_t source_line; // of `source_file`
} TileEmuPlace;

/// One rule broken at one instruction (or by one whole CTA); also at others
/// that come from the same line of the source. Texts are NULL when there is
/// nothing to say, unless noted.
typedef struct {
  const char *kind;    // "data-race", "DEADLOCK", …; docs/Emulator.md
  const char *text;    // its paragraph of the report
  uint32_t ptx_line;   // 0: not at an instruction
  uint64_t count;      // how often it happened
  bool is_pedantic;    // reported only when asked for
  const char *message; // what happened, one line
  const char *history; // what led to it, lines; "" when unknown
  const char *cause;   // the likely one, a sentence
  const char *kernel, *opcode, *source_file;
  uint32_t source_line;        // of `source_file`
  bool has_cta, has_warp;      // which of the following are known
  uint32_t ctaid[3];           // of the first occurrence
  uint32_t warp, lanes;        // in the CTA; a bit for each lane
  const char *memory_space;    // "shared" or "global"
  const char *memory_name;     // "tile+16", "A+512"
  uint64_t memory_offset;      // address in shared memory
  TileEmuPlace earlier;        // the access that this one is not ordered after
  const uint32_t *other_lines; // PTX lines where it happened, too
  size_t num_other_lines;
} TileEmuFinding;

/// Finding number `index` in order of detection, or NULL when it is further
/// than `max_findings`. Borrowed until the next launch.
const TileEmuFinding *tile_emu_finding(const TileEmu *emu, size_t index);

/// All findings, the options and counts as JSON; docs/Emulator.md has the
/// fields. `failure` is what the caller found wrong, or NULL. Borrowed until
/// the next call.
const char *tile_emu_report_json(TileEmu *emu, const char *failure);

/// Tables of what each kernel did: instructions, products, bytes, bank
/// conflicts and waits; "" unless `collect_statistics`. Borrowed until the next
/// call.
const char *tile_emu_statistics_text(TileEmu *emu);

/// When the warps and copies of the first 64 clusters of each launch did what,
/// as Trace Event JSON for Perfetto. Borrowed until the next call.
const char *tile_emu_trace_json(TileEmu *emu);

/// What kernels printed since creation; "" when nothing. Borrowed until the
/// next launch.
const char *tile_emu_output(const TileEmu *emu);
TileEmuStats tile_emu_stats(const TileEmu *emu);

#ifdef __cplusplus
}
#endif

#endif // TILE_EMULATOR_H
