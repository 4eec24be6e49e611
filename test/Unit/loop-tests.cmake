# The plain C part of pipelines needs no library.
tile_add_unit_test(loop-steps-test loop-steps-test.c
  ${PROJECT_SOURCE_DIR}/lib/Analysis/Loops/LoopPlan.c)
