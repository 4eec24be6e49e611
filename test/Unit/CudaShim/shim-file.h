//===- shim-file.h - Reads the fat binaries of the tests ------------------===//
#ifndef TILE_TEST_UNIT_SHIM_FILE_H
#define TILE_TEST_UNIT_SHIM_FILE_H

/// The whole file test/Emulator/fatbin/NAME. Owner: the caller, free().
void *shim_file_read(const char *name);

#endif // TILE_TEST_UNIT_SHIM_FILE_H
