# Unit tests of lib/Pipeline.
tile_add_unit_test(pipeline-choices-test pipeline-choices-test.c LIBS tile_internal)
