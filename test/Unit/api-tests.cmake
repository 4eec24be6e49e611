# Unit tests of lib/Api, on the library that programs link.
tile_add_unit_test(api-compile-test api-compile-test.c LIBS tile
  ARGS ${PROJECT_SOURCE_DIR})
target_link_options(api-compile-test PRIVATE -Wl,--allow-shlib-undefined)
tile_add_unit_test(api-threads-test api-threads-test.c LIBS tile
  ARGS ${PROJECT_SOURCE_DIR})
target_link_options(api-threads-test PRIVATE -Wl,--allow-shlib-undefined)
