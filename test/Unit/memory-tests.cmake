# Unit tests of lib/Analysis/Memory.
tile_add_unit_test(memory-placement-test memory-placement-test.c
  ${PROJECT_SOURCE_DIR}/lib/Analysis/Memory/SharedPlacement.c LIBS tile tile_support)
