//===- ElfSymbols.h - Functions that an ELF file names --------------------===//
//
// Reads files of unknown origin: every offset is checked before it is used.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CUDA_SHIM_ELF_SYMBOLS_H
#define TILE_LIB_CUDA_SHIM_ELF_SYMBOLS_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>

/// A 64-bit little-endian executable or shared library; borrows its bytes.
typedef struct {
  const unsigned char *bytes;
  size_t size_bytes;
  Elf64_Ehdr header;
} TileElf;

/// A symbol table and the names that belong to it.
typedef struct {
  const unsigned char *symbols; // of sizeof(Elf64_Sym), maybe unaligned
  size_t num_symbols;           // 0: there is none
  const char *names;            // ends with a 0
  size_t names_bytes;
} TileElfTable;

/// A function that the file holds itself.
typedef struct {
  const char *name; // borrowed from the file
  Elf64_Addr address;
  size_t size_bytes;
} TileElfFunction;

/// Errors: false when the bytes are no such file, are cut short, or were made
/// for another machine than this one.
bool tile_elf_open(const void *bytes, size_t size_bytes, TileElf *out_elf);
/// The first table of a kind, SHT_SYMTAB or SHT_DYNSYM; empty when there is
/// none or when it lies partly outside of the file.
TileElfTable tile_elf_table(const TileElf *elf, unsigned kind);
/// Symbol `i`, when it is a function of this file that lies with all its bytes
/// in an executable segment.
bool tile_elf_function(const TileElf *elf, const TileElfTable *table, size_t i,
                       TileElfFunction *out_function);
/// Is there a function of this name?
bool tile_elf_has_function(const TileElf *elf, const TileElfTable *table,
                           const char *name);
/// Program header `i` < header.e_phnum.
Elf64_Phdr tile_elf_segment(const TileElf *elf, size_t i);

/// Maps a file for reading; NULL when it cannot be read or is empty. The
/// caller unmaps it.
void *tile_elf_map(const char *path, size_t *out_size_bytes);

#endif // TILE_LIB_CUDA_SHIM_ELF_SYMBOLS_H
