# Unit tests of lib/Emulator: emulator-<topic>-test.c, on a common harness.
add_library(tile_emulator_harness STATIC emulator-harness.c emulator-product.c)
target_include_directories(tile_emulator_harness PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_definitions(tile_emulator_harness PUBLIC _POSIX_C_SOURCE=200809L
  TILE_EMULATOR_TEST_DIR="${PROJECT_SOURCE_DIR}/test/Emulator")
target_link_libraries(tile_emulator_harness PUBLIC tile_emu cmocka PRIVATE tile_warnings)

file(GLOB emulator_tests CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} emulator-*-test.c)
foreach(test ${emulator_tests})
  get_filename_component(name ${test} NAME_WE)
  tile_add_unit_test(${name} ${test} LIBS tile_emulator_harness)
endforeach()
