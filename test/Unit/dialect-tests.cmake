# Unit tests of lib/Dialect: what no pass of tile-opt shows.
tile_add_unit_test(dialect-kernel-test dialect-kernel-test.c LIBS tile)

# A law that kernels obey, on the examples and on those that are run.
file(GLOB kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.mlir
  ${PROJECT_SOURCE_DIR}/test/Integration/*.mlir)
list(FILTER kernels EXCLUDE REGEX "pipelines-") # NUM_STAGES is to be filled in
tile_add_unit_test(kernel-law-test kernel-law-test.c ARGS ${kernels} LIBS tile)
