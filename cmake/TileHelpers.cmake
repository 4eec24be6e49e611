# tile_warnings, tile_add_unit_test, and the code generation steps.

add_library(tile_warnings INTERFACE)
target_compile_options(tile_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Wpedantic -Wconversion -Wshadow
    -Wstrict-prototypes -Wno-missing-field-initializers -Werror>)

# Full debug information of MLIR's templates is ten times the code.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")

# MLIR is not instrumented, so only what our own code does counts: neither the
# sizes of its containers nor the slabs that its allocators share with us. Its
# threads have signal stacks of their own, which the sanitizer would unmap. The
# emulator's libcuda is loaded by programs without a sanitizer.
set(TILE_TEST_ENVIRONMENT)
if(TILE_SANITIZER)
  set(TILE_TEST_ENVIRONMENT
    ASAN_OPTIONS=detect_container_overflow=0:detect_odr_violation=0:allow_user_poisoning=0:use_sigaltstack=0:verify_asan_link_order=0
    TSAN_OPTIONS=ignore_noninstrumented_modules=1
    UBSAN_OPTIONS=print_stacktrace=1)
endif()

# Unit tests are built by `make` but only run by ctest and lit.
# tile_add_unit_test(NAME SOURCES... LIBS TARGETS... [ARGS ARGUMENTS...])
function(tile_add_unit_test name)
  cmake_parse_arguments(ARG "" "" "LIBS;ARGS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/lib)
  target_link_libraries(${name} PRIVATE tile_warnings ${ARG_LIBS} cmocka m)
  target_link_options(${name} PRIVATE -fuse-ld=lld)
  add_test(NAME ${name} COMMAND ${name} ${ARG_ARGS})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${TILE_TEST_ENVIRONMENT}")
endfunction()

#===-- Generated code ---------------------------------------------------===#

set(TILE_GEN ${PROJECT_BINARY_DIR}/gen)
file(MAKE_DIRECTORY ${TILE_GEN}/Tile/Ops)
set(TILE_ODS_INCLUDES -I ${LLVM_INCLUDE_DIRS} -I ${PROJECT_SOURCE_DIR}/include)
set(TILE_ODSGEN ${PROJECT_SOURCE_DIR}/utils/odsgen/odsgen.py)
file(GLOB TILE_ODSGEN_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/utils/odsgen/*.py)
file(GLOB TILE_DIALECT_TD ${PROJECT_SOURCE_DIR}/include/Tile/Dialect/*.td)

# Generators leave a file alone when its text stays the same, and Ninja then
# rebuilds nothing that includes it. Only our own dialect depends on our .td
# files; upstream's are those of the installed LLVM.

# tile_tblgen(OUT TD ARGS...): C++ for the bridge.
function(tile_tblgen out td)
  add_custom_command(OUTPUT ${TILE_GEN}/${out}
    COMMAND ${TILE_LLVM_ROOT}/bin/mlir-tblgen --write-if-changed ${TILE_ODS_INCLUDES} ${ARGN} ${td} -o ${TILE_GEN}/${out}
    DEPENDS ${TILE_DIALECT_TD} VERBATIM)
  set(TILE_GENERATED ${TILE_GENERATED} ${TILE_GEN}/${out} PARENT_SCOPE)
endfunction()

# tile_bindings(DIALECT TD DEPENDS...): Tile/Ops/<dialect>.h, typed C handles,
# and the records it was made of, <dialect>.json.
function(tile_bindings dialect td)
  add_custom_command(OUTPUT ${TILE_GEN}/Tile/Ops/${dialect}.h
    COMMAND ${TILE_LLVM_ROOT}/bin/llvm-tblgen --dump-json ${TILE_ODS_INCLUDES} ${td} -o ${TILE_GEN}/${dialect}.json
    COMMAND Python3::Interpreter ${TILE_ODSGEN} ops ${TILE_GEN}/${dialect}.json --dialect ${dialect} --out ${TILE_GEN}/Tile/Ops/${dialect}.h
    BYPRODUCTS ${TILE_GEN}/${dialect}.json
    DEPENDS ${TILE_ODSGEN_SOURCES} ${ARGN} VERBATIM)
  set(TILE_GENERATED ${TILE_GENERATED} ${TILE_GEN}/Tile/Ops/${dialect}.h PARENT_SCOPE)
  set_property(GLOBAL APPEND PROPERTY TILE_BOUND_DIALECTS ${dialect})
endfunction()
