# Sources of libtile.so from the kernel in LLVM dialect to files, and the driver.
set(TILE_DRIVER_SOURCES
  Target/TileTarget.c
  Target/MetadataSlice.c
  Target/MetadataLaunches.c
  Target/Metadata.c
  Target/PTX.c
  Pipeline/Pipelines.c
  Pipeline/Limits.c
  Pipeline/CompileUnits.c
  Pipeline/Choices.c
  Pipeline/Compile.c
  Api/Ptxas.c
  Api/FatalErrors.c
  Api/Program.c
  Api/Compiler.c
  Api/CompileCall.c)
