# Sources of libtile.so from the kernel in LLVM dialect to files, and the driver.
set(TILE_DRIVER_SOURCES
  Target/TileTarget.c
  Target/TextBuffer.c
  Target/PTX.c
  Pipeline/Pipelines.c)
