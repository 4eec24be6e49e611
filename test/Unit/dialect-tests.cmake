# Unit tests of lib/Dialect: what no pass of tile-opt shows.
tile_add_unit_test(dialect-kernel-test dialect-kernel-test.c LIBS tile)
