# Unit tests of the proof in lib/Analysis/Protocol*.c.
add_library(tile_protocol_programs STATIC protocol-program.c protocol-explore.c)
target_include_directories(tile_protocol_programs PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(tile_protocol_programs PUBLIC tile_protocol PRIVATE tile_warnings)

file(GLOB protocol_tests CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} protocol-*-test.c)
foreach(test ${protocol_tests})
  get_filename_component(name ${test} NAME_WE)
  tile_add_unit_test(${name} ${test} LIBS tile_protocol_programs)
endforeach()
