//===- shim-elf-test.c - Symbols of damaged files, jumps ------------------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "CudaShim/Image/ElfSymbols.h"
#include "CudaShim/Runtime/CodeRedirect.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

//===-- A file of one segment, three symbols ------------------------------===//

typedef struct {
  Elf64_Ehdr header;
  Elf64_Phdr segment;
  unsigned char code[64];
  Elf64_Sym symbols[4];
  char names[20];
  Elf64_Shdr sections[3];
} File;

enum { CODE_AT = 0x1000, FIRST = 1, UNDEFINED = 2, DATA = 3 };

static Elf64_Sym symbol(Elf64_Word name, int type, Elf64_Half where) {
  return (Elf64_Sym){.st_name = name,
                     .st_info = (unsigned char)ELF64_ST_INFO(STB_GLOBAL, type),
                     .st_shndx = where,
                     .st_value = CODE_AT + 16,
                     .st_size = 48};
}

static File make_file(void) {
  File file = {0};
  memcpy(file.header.e_ident, ELFMAG, SELFMAG);
  file.header.e_ident[EI_CLASS] = ELFCLASS64;
  file.header.e_ident[EI_DATA] = ELFDATA2LSB;
  file.header.e_type = ET_DYN;
  file.header.e_machine =
      tile_code_host() == TILE_CODE_AARCH64 ? EM_AARCH64 : EM_X86_64;
  file.header.e_phoff = offsetof(File, segment);
  file.header.e_phentsize = sizeof(Elf64_Phdr);
  file.header.e_phnum = 1;
  file.header.e_shoff = offsetof(File, sections);
  file.header.e_shentsize = sizeof(Elf64_Shdr);
  file.header.e_shnum = 3;
  file.segment = (Elf64_Phdr){.p_type = PT_LOAD,
                              .p_flags = PF_R | PF_X,
                              .p_offset = offsetof(File, code),
                              .p_vaddr = CODE_AT,
                              .p_filesz = sizeof file.code};
  file.symbols[FIRST] = symbol(1, STT_FUNC, 1);
  file.symbols[UNDEFINED] = symbol(7, STT_FUNC, SHN_UNDEF);
  file.symbols[DATA] = symbol(7, STT_OBJECT, 1);
  memcpy(file.names, "\0first\0second\0", 14);
  file.sections[1] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                                  .sh_link = 2,
                                  .sh_offset = offsetof(File, symbols),
                                  .sh_size = sizeof file.symbols,
                                  .sh_entsize = sizeof(Elf64_Sym)};
  file.sections[2] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
                                  .sh_offset = offsetof(File, names),
                                  .sh_size = sizeof file.names};
  return file;
}

/// Reads everything; returns how many functions there are.
static size_t read_all(const void *bytes, size_t size_bytes) {
  TileElf elf;
  if (!tile_elf_open(bytes, size_bytes, &elf))
    return 0;
  size_t count = 0;
  TileElfTable table = tile_elf_table(&elf, SHT_SYMTAB);
  TileElfFunction function;
  for (size_t i = 0; i < table.num_symbols; i++)
    if (tile_elf_function(&elf, &table, i, &function))
      count += strlen(function.name) < size_bytes;
  return count;
}

/// As read_all, in memory of exactly that size, so that sanitizers see more.
static size_t read_copy(const File *file, size_t size_bytes) {
  void *copy = malloc(size_bytes + !size_bytes);
  assert_non_null(copy);
  memcpy(copy, file, size_bytes);
  size_t count = read_all(copy, size_bytes);
  free(copy);
  return count;
}

static void whole_file(void **state) {
  (void)state;
  File file = make_file();
  TileElf elf;
  assert_true(tile_elf_open(&file, sizeof file, &elf));
  TileElfTable table = tile_elf_table(&elf, SHT_SYMTAB);
  assert_int_equal(table.num_symbols, 4);
  TileElfFunction function;
  assert_true(tile_elf_function(&elf, &table, FIRST, &function));
  assert_string_equal(function.name, "first");
  assert_int_equal(function.address, CODE_AT + 16);
  assert_int_equal(function.size_bytes, 48);
  assert_false(tile_elf_function(&elf, &table, UNDEFINED, &function));
  assert_false(tile_elf_function(&elf, &table, DATA, &function));
  assert_true(tile_elf_has_function(&elf, &table, "first"));
  assert_false(tile_elf_has_function(&elf, &table, "second"));
  assert_int_equal(tile_elf_table(&elf, SHT_DYNSYM).num_symbols, 0);
}

static void functions_lie_in_code(void **state) {
  (void)state;
  File file = make_file();
  file.symbols[FIRST].st_size = 49; // one byte after
  assert_int_equal(read_all(&file, sizeof file), 0);
  file = make_file();
  file.symbols[FIRST].st_value = CODE_AT - 1;
  assert_int_equal(read_all(&file, sizeof file), 0);
  file.symbols[FIRST].st_value = UINT64_MAX - 4;
  assert_int_equal(read_all(&file, sizeof file), 0);
  file = make_file();
  file.symbols[FIRST].st_size = UINT64_MAX;
  assert_int_equal(read_all(&file, sizeof file), 0);
  file = make_file();
  file.segment.p_flags = PF_R;
  assert_int_equal(read_all(&file, sizeof file), 0);
}

static void other_files(void **state) {
  (void)state;
  File file = make_file();
  file.header.e_machine = EM_386;
  assert_int_equal(read_all(&file, sizeof file), 0);
  file = make_file();
  file.header.e_type = ET_REL;
  assert_int_equal(read_all(&file, sizeof file), 0);
  file = make_file();
  file.header.e_ident[EI_CLASS] = ELFCLASS32;
  assert_int_equal(read_all(&file, sizeof file), 0);
  file = make_file();
  memset(file.names, 'x', sizeof file.names); // no end
  assert_int_equal(read_all(&file, sizeof file), 0);
}

/// Sanitizers watch; without them, nothing ends the process.
static void damaged_files(void **state) {
  (void)state;
  File file = make_file();
  for (size_t size_bytes = 0; size_bytes < sizeof file; size_bytes++)
    assert_int_equal(read_copy(&file, size_bytes), 0);
  assert_int_equal(read_copy(&file, sizeof file), 1);
  static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
  for (size_t at = 0; at < sizeof file; at++)
    for (size_t i = 0; i < sizeof values; i++) {
      File damaged = file;
      ((unsigned char *)&damaged)[at] = values[i];
      read_copy(&damaged, sizeof damaged);
    }
  // Two bytes at a time: offsets and sizes that overflow together.
  for (size_t at = 0; at + 8 <= sizeof file; at += 8)
    for (size_t other = 0; other + 8 <= sizeof file; other += 8) {
      File damaged = file;
      memset((unsigned char *)&damaged + at, 0xff, 8);
      memset((unsigned char *)&damaged + other, 0xff, 8);
      read_copy(&damaged, sizeof damaged);
    }
}

static void files_of_the_system(void **state) {
  (void)state;
  size_t size_bytes = 0;
  assert_null(tile_elf_map("/no/such/file", &size_bytes));
  assert_null(tile_elf_map("/proc", &size_bytes));
  assert_null(tile_elf_map("/dev/null", &size_bytes));
  void *self = tile_elf_map("/proc/self/exe", &size_bytes);
  assert_non_null(self);
  TileElf elf;
  assert_true(tile_elf_open(self, size_bytes, &elf));
  TileElfTable table = tile_elf_table(&elf, SHT_SYMTAB);
  assert_true(tile_elf_has_function(&elf, &table, "tile_elf_open"));
}

//===-- Jumps -------------------------------------------------------------===//

static void x86_instructions(void **state) {
  (void)state;
  uint8_t jump[TILE_MAX_JUMP_BYTES], island[TILE_ISLAND_BYTES];
  const uint64_t at = 0x555500001000;
  assert_true(tile_code_encode_jump(TILE_CODE_X86_64, at, at - 0x100, jump));
  assert_memory_equal(jump, "\xe9\xfb\xfe\xff\xff", 5);
  assert_true(
      tile_code_encode_jump(TILE_CODE_X86_64, at, at + 5 + INT32_MAX, jump));
  assert_false(tile_code_encode_jump(TILE_CODE_X86_64, at,
                                     at + 6 + (uint64_t)INT32_MAX, jump));
  tile_code_encode_island(TILE_CODE_X86_64, 0x1122334455667788, island);
  assert_memory_equal(
      island, "\xff\x25\x02\0\0\0\0\0\x88\x77\x66\x55\x44\x33\x22\x11", 16);
}

static void arm_instructions(void **state) {
  (void)state;
  uint8_t jump[TILE_MAX_JUMP_BYTES], island[TILE_ISLAND_BYTES];
  const uint64_t at = 0x555500001000, reach = 1 << 27;
  assert_true(tile_code_encode_jump(TILE_CODE_AARCH64, at, at - 8, jump));
  assert_memory_equal(jump, "\xfe\xff\xff\x17", 4); // b .-8
  assert_true(
      tile_code_encode_jump(TILE_CODE_AARCH64, at, at + reach - 4, jump));
  assert_false(tile_code_encode_jump(TILE_CODE_AARCH64, at, at + reach, jump));
  assert_false(tile_code_encode_jump(TILE_CODE_AARCH64, at, at + 2, jump));
  tile_code_encode_island(TILE_CODE_AARCH64, 0x1122334455667788, island);
  assert_memory_equal(
      island, "\x50\0\0\x58\0\x02\x1f\xd6\x88\x77\x66\x55\x44\x33\x22\x11", 16);
  assert_false(tile_code_encode_jump(TILE_CODE_OTHER, at, at, jump));
  assert_int_equal(tile_code_jump_bytes(TILE_CODE_OTHER), 0);
}

/// Code that returns 7, in a page of its own: pages that are written cannot
/// run.
static void *make_code(void) {
  static const uint8_t x86[] = {0xb8, 7, 0, 0, 0, 0xc3};
  static const uint8_t arm[] = {0xe0, 0, 0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6};
  char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(code != MAP_FAILED);
  char *page = code;
  code += 64;
  if (tile_code_host() == TILE_CODE_AARCH64)
    memcpy(code, arm, sizeof arm);
  else
    memcpy(code, x86, sizeof x86);
  __builtin___clear_cache(code, code + sizeof arm);
  assert_int_equal(mprotect(page, 4096, PROT_READ | PROT_EXEC), 0);
  return code;
}

static int new_function(int a, double b, int c) {
  return a * 100 + (int)b * 10 + c;
}

static void functions_jump(void **state) {
  (void)state;
  void *code = make_code();
  int (*old_function)(int, double, int) = NULL,
                                   (*target)(int, double, int) = new_function;
  memcpy((void *)&old_function, &code, sizeof code);
  assert_int_equal(old_function(1, 2, 3), 7);
  TileRedirect redirect = {.from = (uintptr_t)code, .name = "old_function"};
  memcpy(&redirect.to, (void *)&target, sizeof redirect.to);
  redirect.size_bytes = tile_code_jump_bytes(tile_code_host()) - 1;
  TileStatus status = tile_code_redirect(tile_code_host(), &redirect, 1);
  assert_non_null(strstr(status.message, "fewer than a jump"));
  assert_int_equal(old_function(1, 2, 3), 7);
  redirect.size_bytes++;
  status = tile_code_redirect(tile_code_host(), &redirect, 1);
  assert_string_equal(status.message, "");
  assert_int_equal(old_function(1, 2, 3), 123);
}

static void expect_failure(TileCode code, const TileRedirect *redirects,
                           size_t count, const char *message) {
  TileStatus status = tile_code_redirect(code, redirects, count);
  assert_int_equal(status.code, TILE_STATUS_USER_ERROR);
  assert_non_null(strstr(status.message, message));
}

static void functions_stay(void **state) {
  (void)state;
  void *code = make_code();
  munmap((void *)((uintptr_t)code & ~(uintptr_t)4095), 4096);
  TileRedirect redirects[] = {{.from = (uintptr_t)code, .size_bytes = 16},
                              {.from = (uintptr_t)code, .size_bytes = 16}};
  expect_failure(TILE_CODE_OTHER, redirects, 1,
                 "not implemented for this machine, only for x86-64 and "
                 "aarch64");
  expect_failure(tile_code_host(), redirects, 1,
                 "cannot make the code writable: ");
  redirects[1].from += (uintptr_t)8 << 30; // no place is near both
  expect_failure(tile_code_host(), redirects, 2,
                 "found no free memory of 4096 bytes near the code");
  assert_int_equal(tile_code_redirect(tile_code_host(), NULL, 0).code,
                   TILE_STATUS_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_file),
      cmocka_unit_test(functions_lie_in_code),
      cmocka_unit_test(other_files),
      cmocka_unit_test(damaged_files),
      cmocka_unit_test(files_of_the_system),
      cmocka_unit_test(x86_instructions),
      cmocka_unit_test(arm_instructions),
      cmocka_unit_test(functions_jump),
      cmocka_unit_test(functions_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
