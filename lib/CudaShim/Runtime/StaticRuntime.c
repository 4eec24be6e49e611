//===- StaticRuntime.c - Programs that hold the CUDA runtime themselves ---===//
//
// nvcc links the runtime API into a program unless it is told otherwise. This
// library is preloaded and starts before everything else does: in each file
// of the process that holds a runtime and names its functions, those that our
// libcudart has too become jumps to it. The other names are the program's own.
//
// A file that is loaded later has registered its kernels with its own runtime
// by then, so it is left alone; DriverEntry.c says so when it calls the driver.
//
//===----------------------------------------------------------------------===//

#include "CodeRedirect.h"
#include "CudaShim/Image/ElfSymbols.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_PATH = 4096, MAX_FUNCTIONS = 4096 };

/// A file of the process.
typedef struct {
  char path[MAX_PATH];
  uintptr_t bias; // address in memory minus address in the file
  const Elf64_Phdr *segments;
  size_t num_segments;
} Object;

typedef struct {
  Object *objects;
  size_t count, capacity;
} Objects;

//===-- Build: files that hold a runtime ----------------------------------===//

static int collect(struct dl_phdr_info *info, size_t size_bytes, void *data) {
  Objects *objects = data;
  (void)size_bytes;
  if (objects->count == objects->capacity) {
    size_t capacity = 2 * objects->capacity + 16;
    Object *grown = realloc(objects->objects, capacity * sizeof *grown);
    if (!grown)
      return 1;
    objects->objects = grown;
    objects->capacity = capacity;
  }
  Object *object = &objects->objects[objects->count];
  *object = (Object){.bias = info->dlpi_addr,
                     .segments = info->dlpi_phdr,
                     .num_segments = info->dlpi_phnum};
  const char *path = info->dlpi_name;
  if (objects->count == 0) // the program has no name here
    path = "/proc/self/exe";
  snprintf(object->path, sizeof object->path, "%s", path);
  objects->count++;
  return 0;
}

/// Is this the file that was mapped?
static bool is_mapped(const TileElf *elf, const Object *object) {
  if (elf->header.e_phnum != object->num_segments)
    return false;
  for (size_t i = 0; i < object->num_segments; i++) {
    Elf64_Phdr segment = tile_elf_segment(elf, i);
    if (memcmp(&segment, &object->segments[i], sizeof segment) != 0)
      return false;
  }
  return true;
}

/// A library that exports the runtime is one, and takes no part here.
static bool holds_runtime(const TileElf *elf, const TileElfTable *table) {
  static const char name[] = "__cudaRegisterFatBinary";
  TileElfTable exported = tile_elf_table(elf, SHT_DYNSYM);
  return tile_elf_has_function(elf, table, name) &&
         !tile_elf_has_function(elf, &exported, name);
}

//===-- Solve: which function becomes which -------------------------------===//

/// Functions tell the versions apart, since structures differ: 12 has a second
/// form of the first, and the second is new in 13.
static int runtime_major(const TileElf *elf, const TileElfTable *table) {
  if (tile_elf_has_function(elf, table, "cudaGetDeviceProperties_v2"))
    return 12;
  if (tile_elf_has_function(elf, table, "cudaDeviceGetHostAtomicCapabilities"))
    return 13;
  return 0;
}

/// Our function of a name, in the libcudart of one version. Both are
/// dependencies of this library: nothing can be loaded before libc has started.
static uintptr_t find_target(int major, const char *name) {
  char version[20];
  snprintf(version, sizeof version, "libcudart.so.%d", major);
  if (strncmp(name, "cuda", 4) != 0 && strncmp(name, "__cuda", 6) != 0)
    return 0;
  return (uintptr_t)dlvsym(RTLD_DEFAULT, name, version);
}

static TileStatus plan_add(TileRedirect *redirects, size_t *count,
                           TileRedirect next) {
  for (size_t i = 0; i < *count; i++) {
    if (redirects[i].from != next.from)
      continue;
    if (redirects[i].to == next.to)
      return tile_status_ok();
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "%s has the code of another function; link "
                             "without folding of identical code",
                             next.name);
  }
  if (*count == MAX_FUNCTIONS)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "expected at most %d functions, got more",
                             MAX_FUNCTIONS);
  redirects[(*count)++] = next;
  return tile_status_ok();
}

static TileStatus plan_solve(const TileElf *elf, const TileElfTable *table,
                             const Object *object, int major,
                             TileRedirect *redirects, size_t *out_count) {
  TileStatus status = tile_status_ok();
  TileElfFunction function;
  for (size_t i = 0; i < table->num_symbols && tile_status_is_ok(&status);
       i++) {
    if (!tile_elf_function(elf, table, i, &function))
      continue;
    uintptr_t target = find_target(major, function.name);
    if (target)
      status = plan_add(redirects, out_count,
                        (TileRedirect){.from = object->bias + function.address,
                                       .to = target,
                                       .size_bytes = function.size_bytes,
                                       .name = function.name});
  }
  return status;
}

//===-- Apply -------------------------------------------------------------===//

static TileStatus redirect(const TileElf *elf, const TileElfTable *table,
                           const Object *object) {
  int major = runtime_major(elf, table);
  if (major == 0)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "expected version 12 or 13, got another one");
  TileRedirect *redirects = calloc(MAX_FUNCTIONS, sizeof *redirects);
  if (!redirects)
    return tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  size_t count = 0;
  TileStatus status = plan_solve(elf, table, object, major, redirects, &count);
  if (tile_status_is_ok(&status))
    status = tile_code_redirect(tile_code_host(), redirects, count);
  free(redirects);
  return status;
}

static TileStatus visit(const Object *object) {
  TileStatus status = tile_status_ok();
  size_t size_bytes = 0;
  void *bytes = tile_elf_map(object->path, &size_bytes);
  if (!bytes)
    return status; // such as the kernel's own linux-vdso.so.1
  TileElf elf;
  if (tile_elf_open(bytes, size_bytes, &elf) && is_mapped(&elf, object)) {
    TileElfTable table = tile_elf_table(&elf, SHT_SYMTAB);
    if (holds_runtime(&elf, &table))
      status = redirect(&elf, &table, object);
  }
  munmap(bytes, size_bytes);
  return status;
}

//===-- Entry -------------------------------------------------------------===//

__attribute__((constructor)) static void start(void) {
  Objects objects = {0};
  dl_iterate_phdr(collect, &objects);
  for (size_t i = 0; i < objects.count; i++) {
    char program[MAX_PATH] = "";
    const char *name = objects.objects[i].path;
    TileStatus status = visit(&objects.objects[i]);
    if (tile_status_is_ok(&status))
      continue;
    if (i == 0 && readlink(name, program, sizeof program - 1) > 0)
      name = program;
    fprintf(stderr, "tile-emu: %s: static CUDA runtime: %s\n", name,
            status.message);
    _exit(EXIT_FAILURE);
  }
  free(objects.objects);
}
