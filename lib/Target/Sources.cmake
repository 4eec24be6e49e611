# Sources of libtile.so from the kernel in LLVM dialect to files, and the driver.
set(TILE_DRIVER_SOURCES
  Target/TileTarget.c
  Target/UndefinedValues.c
  Target/MetadataSlice.c
  Target/MetadataLaunches.c
  Target/Metadata.c
  Target/PTX.c
  Target/Ptxas.c
  Pipeline/Pipelines.c
  Pipeline/DiagnosticText.c
  Pipeline/CompileUnits.c
  Pipeline/MadeOps.c
  Pipeline/CompilePasses.c
  Pipeline/Choices.c
  Pipeline/ChoicesTiles.c
  Pipeline/Compile.c)
