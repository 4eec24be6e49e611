//===- FindPtxas.h - Where NVIDIA's assembler is --------------------------===//
#ifndef TILE_TOOLS_FIND_PTXAS_H
#define TILE_TOOLS_FIND_PTXAS_H

/// Path of ptxas: on PATH, in $CUDA_HOME/bin or in /usr/local/cuda/bin. NULL
/// when there is none. Owner: the caller, free.
char *ptxas_find(void);

#endif // TILE_TOOLS_FIND_PTXAS_H
