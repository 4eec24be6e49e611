# Unit tests of lib/Dialect: what no pass of tile-opt shows.
foreach(name boxes kernel)
  tile_add_unit_test(dialect-${name}-test dialect-${name}-test.c LIBS tile_internal)
endforeach()
tile_add_unit_test(dialect-dtype-test dialect-dtype-test.c
  ${PROJECT_SOURCE_DIR}/lib/Dialect/TileTypes.c LIBS tile_internal tile_support)

# A law that kernels obey, on the examples and on those that are run as they stand.
file(GLOB law_kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.mlir)
file(GLOB candidates CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/test/Integration/*.mlir)
foreach(kernel ${candidates})
  file(STRINGS ${kernel} commands REGEX "run-kernel.py %s")
  if(commands)
    list(APPEND law_kernels ${kernel})
  endif()
endforeach()
tile_add_unit_test(kernel-law-test kernel-law-test.c ARGS ${law_kernels} LIBS tile_internal)
