//===- ElfSymbols.c - Functions that an ELF file names --------------------===//

#include "ElfSymbols.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { HOST_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { HOST_MACHINE = EM_AARCH64 };
#else
enum { HOST_MACHINE = EM_NONE };
#endif

/// Does the file have `count` things of `each_bytes` at `offset`?
static bool has_bytes(const TileElf *elf, Elf64_Off offset, size_t count,
                      size_t each_bytes) {
  return offset <= elf->size_bytes &&
         count <= (elf->size_bytes - offset) / each_bytes;
}

bool tile_elf_open(const void *bytes, size_t size_bytes, TileElf *out_elf) {
  *out_elf = (TileElf){.bytes = bytes, .size_bytes = size_bytes};
  Elf64_Ehdr *header = &out_elf->header;
  if (size_bytes < sizeof *header)
    return false;
  memcpy(header, bytes, sizeof *header);
  return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
         header->e_ident[EI_CLASS] == ELFCLASS64 &&
         header->e_ident[EI_DATA] == ELFDATA2LSB &&
         header->e_machine == HOST_MACHINE &&
         (header->e_type == ET_EXEC || header->e_type == ET_DYN) &&
         header->e_phentsize == sizeof(Elf64_Phdr) &&
         has_bytes(out_elf, header->e_phoff, header->e_phnum,
                   sizeof(Elf64_Phdr));
}

Elf64_Phdr tile_elf_segment(const TileElf *elf, size_t i) {
  Elf64_Phdr segment;
  memcpy(&segment, elf->bytes + elf->header.e_phoff + i * sizeof segment,
         sizeof segment);
  return segment;
}

static Elf64_Shdr section(const TileElf *elf, size_t i) {
  Elf64_Shdr result;
  memcpy(&result, elf->bytes + elf->header.e_shoff + i * sizeof result,
         sizeof result);
  return result;
}

TileElfTable tile_elf_table(const TileElf *elf, unsigned kind) {
  TileElfTable none = {0};
  const Elf64_Ehdr *header = &elf->header;
  if (header->e_shentsize != sizeof(Elf64_Shdr) ||
      !has_bytes(elf, header->e_shoff, header->e_shnum, sizeof(Elf64_Shdr)))
    return none;
  size_t i = 0;
  while (i < header->e_shnum && section(elf, i).sh_type != kind)
    i++;
  if (i == header->e_shnum)
    return none;
  Elf64_Shdr symbols = section(elf, i);
  if (symbols.sh_link >= header->e_shnum ||
      symbols.sh_entsize != sizeof(Elf64_Sym) ||
      !has_bytes(elf, symbols.sh_offset, symbols.sh_size, 1))
    return none;
  Elf64_Shdr names = section(elf, symbols.sh_link);
  if (names.sh_type != SHT_STRTAB || names.sh_size == 0 ||
      !has_bytes(elf, names.sh_offset, names.sh_size, 1) ||
      elf->bytes[names.sh_offset + names.sh_size - 1] != 0)
    return none;
  return (TileElfTable){.symbols = elf->bytes + symbols.sh_offset,
                        .num_symbols = symbols.sh_size / sizeof(Elf64_Sym),
                        .names = (const char *)elf->bytes + names.sh_offset,
                        .names_bytes = names.sh_size};
}

static bool is_code(const TileElf *elf, Elf64_Addr address, size_t size_bytes) {
  for (size_t i = 0; i < elf->header.e_phnum; i++) {
    Elf64_Phdr segment = tile_elf_segment(elf, i);
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) &&
        address >= segment.p_vaddr &&
        address - segment.p_vaddr <= segment.p_filesz &&
        size_bytes <= segment.p_filesz - (address - segment.p_vaddr))
      return true;
  }
  return false;
}

bool tile_elf_function(const TileElf *elf, const TileElfTable *table, size_t i,
                       TileElfFunction *out_function) {
  Elf64_Sym symbol;
  memcpy(&symbol, table->symbols + i * sizeof symbol, sizeof symbol);
  if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC ||
      symbol.st_shndx == SHN_UNDEF || symbol.st_name >= table->names_bytes ||
      !is_code(elf, symbol.st_value, symbol.st_size))
    return false;
  *out_function = (TileElfFunction){table->names + symbol.st_name,
                                    symbol.st_value, symbol.st_size};
  return true;
}

bool tile_elf_has_function(const TileElf *elf, const TileElfTable *table,
                           const char *name) {
  TileElfFunction function;
  for (size_t i = 0; i < table->num_symbols; i++)
    if (tile_elf_function(elf, table, i, &function) &&
        strcmp(function.name, name) == 0)
      return true;
  return false;
}

void *tile_elf_map(const char *path, size_t *out_size_bytes) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat info;
  void *bytes = MAP_FAILED;
  if (file >= 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
      info.st_size > 0)
    bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  if (file >= 0)
    close(file);
  if (bytes == MAP_FAILED)
    return NULL;
  *out_size_bytes = (size_t)info.st_size;
  return bytes;
}
