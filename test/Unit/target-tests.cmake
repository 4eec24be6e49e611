# Unit tests of lib/Target.
tile_add_unit_test(target-ptx-join-test target-ptx-join-test.c LIBS tile_internal)
