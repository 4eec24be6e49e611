# Unit tests of lib/Launcher. They see its internal headers.
set(launcher_dir ${PROJECT_SOURCE_DIR}/lib/Launcher)
set(launcher_tests smallfloat values args tensor check npy ptx)
foreach(name ${launcher_tests})
  tile_add_unit_test(launcher-${name}-test launcher-${name}-test.c LIBS tile_launcher)
  target_include_directories(launcher-${name}-test PRIVATE ${launcher_dir} ${TILE_CJSON_INCLUDE})
endforeach()

# The CUDA driver path, on a library that only notes the calls.
add_library(launcher-fake-cuda MODULE launcher-fake-cuda.c)
target_link_libraries(launcher-fake-cuda PRIVATE tile_warnings)
target_include_directories(launcher-fake-cuda PRIVATE ${PROJECT_SOURCE_DIR}/include ${launcher_dir})
foreach(name driver run)
  tile_add_unit_test(launcher-${name}-test launcher-${name}-test.c LIBS tile_launcher ${CMAKE_DL_LIBS})
  target_compile_definitions(launcher-${name}-test PRIVATE
    _POSIX_C_SOURCE=200809L TILE_FAKE_CUDA="$<TARGET_FILE:launcher-fake-cuda>")
  add_dependencies(launcher-${name}-test launcher-fake-cuda)
endforeach()

find_path(TILE_CUDA_INCLUDE cuda.h
  HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES include)
if(TILE_CUDA_INCLUDE)
  tile_add_unit_test(launcher-cuda-abi-test launcher-cuda-abi-test.c LIBS tile_launcher)
  target_include_directories(launcher-cuda-abi-test PRIVATE ${launcher_dir})
  target_include_directories(launcher-cuda-abi-test SYSTEM PRIVATE ${TILE_CUDA_INCLUDE})
endif()
