# Unit tests of lib/CudaShim: programs that use the drop-in libraries. They see
# its internal headers.
set(shim_dir ${PROJECT_SOURCE_DIR}/lib/CudaShim)
set(shim_inputs ${PROJECT_SOURCE_DIR}/test/Emulator/fatbin)
foreach(name driver launch runtime)
  tile_add_unit_test(shim-${name}-test shim-${name}-test.c shim-file.c
    LIBS tile_shim_cudart13 tile_shim_cuda tile_emu)
  target_include_directories(shim-${name}-test PRIVATE ${shim_dir})
  target_compile_definitions(shim-${name}-test PRIVATE TILE_SHIM_INPUTS="${shim_inputs}")
endforeach()
tile_add_unit_test(shim-image-test shim-image-test.c ${shim_dir}/ShimLz4.c LIBS tile_emu)
target_include_directories(shim-image-test PRIVATE ${shim_dir})
tile_add_unit_test(shim-elf-test shim-elf-test.c ${shim_dir}/ElfSymbols.c
  ${shim_dir}/CodeRedirect.c LIBS tile_support)
target_include_directories(shim-elf-test PRIVATE ${shim_dir})
target_compile_definitions(shim-elf-test PRIVATE _GNU_SOURCE)

if(TILE_CUDA_INCLUDE)
  foreach(major 12 13)
    tile_add_unit_test(shim-cuda-abi-${major}-test shim-cuda-abi-test.c LIBS tile_emu)
    target_compile_definitions(shim-cuda-abi-${major}-test PRIVATE TILE_CUDART_MAJOR=${major})
    target_include_directories(shim-cuda-abi-${major}-test PRIVATE ${shim_dir})
    target_include_directories(shim-cuda-abi-${major}-test SYSTEM PRIVATE ${TILE_CUDA_INCLUDE})
  endforeach()
endif()
