# Unit tests of lib/Support.
foreach(name dtype json keys signal)
  tile_add_unit_test(support-${name}-test support-${name}-test.c LIBS tile_support)
endforeach()
