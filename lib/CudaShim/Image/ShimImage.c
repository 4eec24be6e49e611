//===- ShimImage.c - The PTX in a fat binary ------------------------------===//
//
// What nvcc puts into programs, as written by CUDA 11 to 13:
//
//   wrapper    u32 magic 0x466243b1, u32 version, pointer to the container
//   container  u32 magic 0xba55ed50, u16 version, u16 header size, u64 size of
//              the entries that follow
//   entry      u16 kind (1 PTX, 2 machine code), u16 version, u32 header size,
//              u64 size of the payload with padding, u32 size when compressed,
//              …, at 28: u32 architecture, at 40: u64 flags, at 56: u64 size
//              when not compressed
//
// A payload is plain, or compressed by LZ4 or by Zstandard. The latter is
// taken apart by libzstd.so.1, opened when the first one is met: every system
// with LLVM has it.
//
//===----------------------------------------------------------------------===//

#include "CudaShim/Shim.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  WRAPPER_MAGIC = 0x466243b1,
  ENTRY_BYTES = 64, // of its header, at least
  KIND_PTX = 1,
  KIND_ELF = 2
};
#define CONTAINER_MAGIC 0xba55ed50u
#define FLAG_LZ4 0x2000u
#define FLAG_ZSTD 0x8000u
#define MAX_PTX_BYTES (1ull << 30)

typedef struct {
  uint32_t magic, version;
  const void *container;
} Wrapper;

typedef struct {
  uint32_t magic;
  uint16_t version, header_bytes;
  uint64_t size_bytes;
} Container;

typedef struct {
  uint16_t kind, version;
  uint32_t header_bytes;
  uint64_t padded_bytes;
  uint32_t compressed_bytes, options;
  uint16_t minor, major;
  uint32_t architecture, name, name_bytes;
  uint64_t flags, reserved, plain_bytes;
} Entry;

_Static_assert(sizeof(Entry) == ENTRY_BYTES, "as in the file");

//===-- Payloads ----------------------------------------------------------===//

typedef size_t (*ZstdDecompress)(void *target, size_t target_bytes,
                                 const void *source, size_t source_bytes);

static bool zstd_decode(const uint8_t *source, size_t source_bytes,
                        uint8_t *target, size_t target_bytes) {
  void *library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, "ZSTD_decompress") : NULL;
  if (!symbol) {
    tile_shim_say("the PTX is compressed by Zstandard, and libzstd.so.1 is not "
                  "here; nvcc --compress-mode=speed uses LZ4");
    return false;
  }
  ZstdDecompress decompress;
  memcpy((void *)&decompress, (void *)&symbol, sizeof symbol);
  return decompress(target, target_bytes, source, source_bytes) == target_bytes;
}

/// The text of a PTX entry, with a zero at its end.
static CuResult entry_text(const Entry *entry, const uint8_t *payload,
                           char **out_ptx, size_t *out_size_bytes) {
  bool is_compressed = entry->flags & (FLAG_LZ4 | FLAG_ZSTD);
  size_t size_bytes =
      (size_t)(is_compressed ? entry->plain_bytes : entry->padded_bytes);
  if (size_bytes > MAX_PTX_BYTES ||
      (is_compressed && entry->compressed_bytes > entry->padded_bytes)) {
    tile_shim_say("damaged fat binary");
    return CU_INVALID_IMAGE;
  }
  char *text = calloc(1, size_bytes + 1);
  if (!text)
    return CU_OUT_OF_MEMORY;
  bool is_good = true;
  if (entry->flags & FLAG_ZSTD)
    is_good = zstd_decode(payload, entry->compressed_bytes, (uint8_t *)text,
                          size_bytes);
  else if (entry->flags & FLAG_LZ4)
    is_good = tile_shim_lz4_decode(payload, entry->compressed_bytes,
                                   (uint8_t *)text, size_bytes);
  else
    memcpy(text, payload, size_bytes);
  if (!is_good) {
    free(text);
    tile_shim_say("cannot decompress the PTX of the fat binary");
    return CU_INVALID_IMAGE;
  }
  *out_ptx = text;
  *out_size_bytes = strlen(text);
  return CU_SUCCESS;
}

//===-- Entries -----------------------------------------------------------===//

/// How well PTX suits the device; 0: not at all. PTX of an older architecture
/// runs, unless it is "architecture-specific" ("sm_90a"), which runs on that
/// one only and is what the program wants there. The text says which it is.
static unsigned rank(const char *ptx, uint32_t architecture, int capability) {
  const char *target = strstr(ptx, ".target");
  char digits[24];
  snprintf(digits, sizeof digits, "sm_%ua", architecture);
  const char *exact = target ? strstr(target, digits) : NULL;
  if (exact && exact - target < 100)
    return (int)architecture == capability ? 2 * architecture + 1 : 0;
  return (int)architecture <= capability ? 2 * architecture : 0;
}

typedef struct {
  int capability;
  char *ptx;
  size_t size_bytes;
  unsigned rank;
  unsigned num_ptx, num_elf;
  uint32_t last_architecture; // of anything that is there
} Search;

static CuResult entry_visit(Search *search, const Entry *entry,
                            const uint8_t *payload) {
  search->last_architecture = entry->architecture;
  search->num_elf += entry->kind == KIND_ELF;
  search->num_ptx += entry->kind == KIND_PTX;
  if (entry->kind != KIND_PTX || (int)entry->architecture > search->capability)
    return CU_SUCCESS;
  char *ptx = NULL;
  size_t size_bytes = 0;
  CuResult result = entry_text(entry, payload, &ptx, &size_bytes);
  if (result != CU_SUCCESS)
    return result;
  unsigned own_rank = rank(ptx, entry->architecture, search->capability);
  if (own_rank <= search->rank) {
    free(ptx);
    return CU_SUCCESS;
  }
  free(search->ptx);
  search->ptx = ptx;
  search->size_bytes = size_bytes;
  search->rank = own_rank;
  return CU_SUCCESS;
}

static CuResult container_search(const uint8_t *image, Search *search) {
  Container container;
  memcpy(&container, image, sizeof container);
  const uint8_t *at = image + container.header_bytes;
  const uint8_t *end = at + container.size_bytes;
  while ((size_t)(end - at) >= ENTRY_BYTES) {
    Entry entry;
    memcpy(&entry, at, sizeof entry);
    size_t rest = (size_t)(end - at);
    if (entry.header_bytes < ENTRY_BYTES || entry.header_bytes > rest ||
        entry.padded_bytes > rest - entry.header_bytes) {
      tile_shim_say("damaged fat binary");
      return CU_INVALID_IMAGE;
    }
    CuResult result = entry_visit(search, &entry, at + entry.header_bytes);
    if (result != CU_SUCCESS)
      return result;
    at += entry.header_bytes + entry.padded_bytes;
  }
  if (search->ptx)
    return CU_SUCCESS;
  if (search->num_ptx)
    tile_shim_say("the fat binary has no PTX for compute capability %d.%d, "
                  "only for sm_%u",
                  search->capability / 10, search->capability % 10,
                  search->last_architecture);
  else
    tile_shim_say("the fat binary has machine code (sm_%u) and no PTX; with "
                  "nvcc -gencode arch=compute_%u,code=compute_%u it has",
                  search->last_architecture, search->last_architecture,
                  search->last_architecture);
  return CU_NO_BINARY_FOR_GPU;
}

//===-- Entry -------------------------------------------------------------===//

CuResult tile_shim_image_ptx(const void *image, int capability, char **out_ptx,
                             size_t *out_size_bytes) {
  static const uint8_t elf_magic[4] = {0x7f, 'E', 'L', 'F'};
  uint32_t magic;
  memcpy(&magic, image, sizeof magic);
  if (magic == WRAPPER_MAGIC) {
    Wrapper wrapper;
    memcpy(&wrapper, image, sizeof wrapper);
    image = wrapper.container;
    memcpy(&magic, image, sizeof magic);
  }
  if (magic == CONTAINER_MAGIC) {
    Search search = {.capability = capability};
    CuResult result = container_search(image, &search);
    if (result != CU_SUCCESS) {
      free(search.ptx);
      return result;
    }
    *out_ptx = search.ptx;
    *out_size_bytes = search.size_bytes;
    return CU_SUCCESS;
  }
  if (memcmp(&magic, elf_magic, sizeof magic) == 0) {
    tile_shim_say("the module is machine code (cubin), only PTX can be "
                  "emulated");
    return CU_NO_BINARY_FOR_GPU;
  }
  *out_size_bytes = strlen(image);
  *out_ptx = strdup(image);
  return *out_ptx ? CU_SUCCESS : CU_OUT_OF_MEMORY;
}
