//===- CodeRedirect.c - Lets functions of a program jump elsewhere --------===//

#include "CodeRedirect.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE // Linux 4.17; older ones take it for a wish
#define MAP_FIXED_NOREPLACE 0x100000
#endif

//===-- Instructions ------------------------------------------------------===//

TileCode tile_code_host(void) {
#if defined(__x86_64__)
  return TILE_CODE_X86_64;
#elif defined(__aarch64__)
  return TILE_CODE_AARCH64;
#else
  return TILE_CODE_OTHER;
#endif
}

size_t tile_code_jump_bytes(TileCode code) {
  return code == TILE_CODE_X86_64 ? 5 : code == TILE_CODE_AARCH64 ? 4 : 0;
}

static void put_u32(uint8_t *out, uint32_t value) {
  for (int i = 0; i < 4; i++)
    out[i] = (uint8_t)(value >> (8 * i));
}

bool tile_code_encode_jump(TileCode code, uint64_t from, uint64_t to,
                           uint8_t out_bytes[TILE_MAX_JUMP_BYTES]) {
  int64_t distance = (int64_t)(to - from);
  if (code == TILE_CODE_X86_64) { // jmp rel32, from the next instruction
    distance -= (int64_t)tile_code_jump_bytes(code);
    out_bytes[0] = 0xe9;
    put_u32(out_bytes + 1, (uint32_t)distance);
    return distance >= INT32_MIN && distance <= INT32_MAX;
  }
  const int64_t limit = 1 << 27; // b: 26 bits, in units of 4 bytes
  put_u32(out_bytes, 0x14000000u | ((uint32_t)(distance / 4) & 0x03ffffffu));
  return code == TILE_CODE_AARCH64 && distance % 4 == 0 && distance >= -limit &&
         distance < limit;
}

void tile_code_encode_island(TileCode code, uint64_t target,
                             uint8_t out_bytes[TILE_ISLAND_BYTES]) {
  enum { ADDRESS = 8 }; // offset of the address
  memset(out_bytes, 0, TILE_ISLAND_BYTES);
  if (code == TILE_CODE_X86_64) {
    out_bytes[0] = 0xff; // jmp *[rip + 2]
    out_bytes[1] = 0x25;
    put_u32(out_bytes + 2, 2);
  } else if (code == TILE_CODE_AARCH64) {
    put_u32(out_bytes, 0x58000050u);     // ldr x16, .+8
    put_u32(out_bytes + 4, 0xd61f0200u); // br x16
  }
  put_u32(out_bytes + ADDRESS, (uint32_t)target);
  put_u32(out_bytes + ADDRESS + 4, (uint32_t)(target >> 32));
}

//===-- Memory ------------------------------------------------------------===//

typedef struct {
  const TileRedirect *redirects;
  size_t count;
  TileCode code;
  uintptr_t first, last; // places of the jumps
  size_t page_bytes;
  uint8_t *islands;
  size_t island_bytes; // of all of them, whole pages
} Plan;

static bool is_near(const Plan *plan, uintptr_t islands) {
  uint8_t jump[TILE_MAX_JUMP_BYTES];
  uintptr_t end = islands + plan->island_bytes;
  return tile_code_encode_jump(plan->code, plan->first, end, jump) &&
         tile_code_encode_jump(plan->code, plan->last, end, jump) &&
         tile_code_encode_jump(plan->code, plan->first, islands, jump) &&
         tile_code_encode_jump(plan->code, plan->last, islands, jump);
}

static uint8_t *map_at(const Plan *plan, uintptr_t address) {
  void *wish = NULL;
  memcpy((void *)&wish, &address, sizeof wish);
  void *memory = mmap(wish, plan->island_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (memory == MAP_FAILED)
    return NULL;
  if (is_near(plan, (uintptr_t)memory))
    return memory;
  munmap(memory, plan->island_bytes);
  return NULL;
}

/// Tries places below the code before those above it, where the heap grows.
static bool map_islands(Plan *plan) {
  enum { STEP_BYTES = 1 << 16, MAX_STEPS = 1500 }; // 94 MiB: b reaches 128
  uintptr_t first = plan->first & ~(uintptr_t)(STEP_BYTES - 1);
  uintptr_t last = (plan->last | (STEP_BYTES - 1)) + 1;
  for (uintptr_t i = 1; i <= MAX_STEPS && !plan->islands; i++)
    if (first > (i + 1) * STEP_BYTES)
      plan->islands = map_at(plan, first - i * STEP_BYTES);
  for (uintptr_t i = 0; i < MAX_STEPS && !plan->islands; i++)
    plan->islands = map_at(plan, last + i * STEP_BYTES);
  return plan->islands;
}

/// Changes the pages of one jump.
static bool protect(const Plan *plan, uintptr_t from, int protection) {
  uintptr_t begin = from & ~(plan->page_bytes - 1);
  size_t size_bytes = from + tile_code_jump_bytes(plan->code) - begin;
  void *memory = NULL;
  memcpy((void *)&memory, &begin, sizeof memory);
  return mprotect(memory, size_bytes, protection) == 0;
}

//===-- Apply -------------------------------------------------------------===//

static TileStatus check(Plan *plan) {
  size_t jump_bytes = tile_code_jump_bytes(plan->code);
  if (jump_bytes == 0)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "not implemented for this machine, only for "
                             "x86-64 and aarch64");
  for (size_t i = 0; i < plan->count; i++) {
    const TileRedirect *redirect = &plan->redirects[i];
    if (redirect->size_bytes < jump_bytes)
      return tile_status_error(TILE_STATUS_USER_ERROR,
                               "%s has %zu bytes, fewer than a jump",
                               redirect->name, redirect->size_bytes);
    plan->first =
        i && plan->first < redirect->from ? plan->first : redirect->from;
    plan->last = plan->last > redirect->from ? plan->last : redirect->from;
  }
  return tile_status_ok();
}

static bool write_jump(const Plan *plan, size_t i) {
  const TileRedirect *redirect = &plan->redirects[i];
  uint8_t jump[TILE_MAX_JUMP_BYTES];
  uintptr_t island = (uintptr_t)plan->islands + i * TILE_ISLAND_BYTES;
  if (!tile_code_encode_jump(plan->code, redirect->from, island, jump) ||
      !protect(plan, redirect->from, PROT_READ | PROT_WRITE))
    return false;
  size_t size_bytes = tile_code_jump_bytes(plan->code);
  char *from = NULL;
  memcpy((void *)&from, &redirect->from, sizeof from);
  memcpy(from, jump, size_bytes);
  __builtin___clear_cache(from, from + size_bytes);
  return protect(plan, redirect->from, PROT_READ | PROT_EXEC);
}

static bool write_islands(Plan *plan) {
  for (size_t i = 0; i < plan->count; i++)
    tile_code_encode_island(plan->code, plan->redirects[i].to,
                            plan->islands + i * TILE_ISLAND_BYTES);
  __builtin___clear_cache((char *)plan->islands,
                          (char *)plan->islands + plan->island_bytes);
  return mprotect(plan->islands, plan->island_bytes, PROT_READ | PROT_EXEC) ==
         0;
}

TileStatus tile_code_redirect(TileCode code, const TileRedirect *redirects,
                              size_t count) {
  Plan plan = {.redirects = redirects,
               .count = count,
               .code = code,
               .page_bytes = (size_t)sysconf(_SC_PAGESIZE)};
  TileStatus status = check(&plan);
  if (count == 0 || !tile_status_is_ok(&status))
    return status;
  size_t bytes = count * TILE_ISLAND_BYTES + plan.page_bytes - 1;
  plan.island_bytes = bytes - bytes % plan.page_bytes;
  if (!map_islands(&plan))
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "found no free memory of %zu bytes near the code",
                             plan.island_bytes);
  bool is_done = write_islands(&plan);
  // A page that cannot be made writable fails at the first jump already.
  for (size_t i = 0; i < count && is_done; i++)
    is_done = write_jump(&plan, i);
  if (!is_done)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "cannot make the code writable: %s",
                             strerror(errno));
  return status;
}
