# cmake --install BUILD --prefix PREFIX [--component emulator|compiler]
#
# Nothing that is installed refers to the build tree, and the folder may be
# moved: programs find libraries from where they are themselves. lib/emu is no
# folder that a linker looks into; tile-emu-exec finds it from bin/.

install(TARGETS tile-run tile-emu-exec RUNTIME DESTINATION bin COMPONENT emulator)
install(TARGETS tile_shim_cuda tile_shim_cudart12 tile_shim_cudart13 tile_static_cudart
  LIBRARY DESTINATION lib/emu COMPONENT emulator)
install(TARGETS tile_emu_shared tile_run
  LIBRARY DESTINATION lib COMPONENT emulator NAMELINK_COMPONENT emulator)
install(FILES include/Tile/Diagnostic.h include/Tile/Emulator.h include/Tile/Run.h
  DESTINATION include/Tile COMPONENT emulator)
install(FILES include/Tile/Support/Status.h include/Tile/Support/TensorMap.h
  DESTINATION include/Tile/Support COMPONENT emulator)

# Both components have the same files for CMake; what is there decides.
include(CMakePackageConfigHelpers)
configure_file(cmake/TileConfig.cmake.in ${PROJECT_BINARY_DIR}/TileConfig.cmake @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TileConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
foreach(component emulator compiler)
  install(FILES ${PROJECT_BINARY_DIR}/TileConfig.cmake ${PROJECT_BINARY_DIR}/TileConfigVersion.cmake
    DESTINATION lib/cmake/Tile COMPONENT ${component})
endforeach()
foreach(name tile-emu tile-run tile tile-static)
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/tile-emu.pc ${PROJECT_BINARY_DIR}/tile-run.pc
  DESTINATION lib/pkgconfig COMPONENT emulator)

# libtile.so is also a plugin of mlir-opt. MLIR itself is not installed.
install(TARGETS tile-opt tile-compile tile-tune tile-lsp-server tile-reduce
  RUNTIME DESTINATION bin COMPONENT compiler)
install(TARGETS tile LIBRARY DESTINATION lib COMPONENT compiler NAMELINK_COMPONENT compiler)
set_target_properties(tile-opt tile-compile tile-tune tile-lsp-server tile-reduce PROPERTIES
  INSTALL_RPATH "$ORIGIN/../lib:${TILE_LLVM_ROOT}/lib")
install(FILES include/Tile/Compiler.h include/Tile/Mlir.h include/Tile/Tile.h include/Tile/Tune.h
  DESTINATION include/Tile COMPONENT compiler)
install(FILES include/Tile/Dialect/Dialect.h DESTINATION include/Tile/Dialect COMPONENT compiler)
install(FILES ${PROJECT_BINARY_DIR}/tile.pc DESTINATION lib/pkgconfig COMPONENT compiler)

install(FILES ${TILE_SCHEDULES} DESTINATION share/tile/schedules COMPONENT compiler)

# Only where it has been built.
install(FILES $<TARGET_FILE:tile_static> $<TARGET_SONAME_FILE:tile_static> $<TARGET_LINKER_FILE:tile_static>
  DESTINATION lib COMPONENT static OPTIONAL EXCLUDE_FROM_ALL)
install(FILES include/Tile/Compiler.h include/Tile/Tune.h DESTINATION include/Tile COMPONENT static EXCLUDE_FROM_ALL)
install(FILES ${PROJECT_BINARY_DIR}/tile-static.pc DESTINATION lib/pkgconfig
  COMPONENT static EXCLUDE_FROM_ALL)

# Manual pages and completions are made of what --help prints.
set(manual ${PROJECT_BINARY_DIR}/share)
foreach(tool tile-run:emulator tile-emu-exec:emulator tile-compile:compiler tile-tune:compiler)
  string(REPLACE ":" ";" tool ${tool})
  list(GET tool 0 name)
  list(GET tool 1 component)
  add_custom_command(OUTPUT ${manual}/man/man1/${name}.1 ${manual}/bash-completion/completions/${name}
      ${manual}/zsh/site-functions/_${name}
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/utils/make-manual.py $<TARGET_FILE:${name}> ${manual}
    DEPENDS ${name} ${PROJECT_SOURCE_DIR}/utils/make-manual.py VERBATIM)
  list(APPEND pages ${manual}/man/man1/${name}.1)
  install(FILES ${manual}/man/man1/${name}.1 DESTINATION share/man/man1 COMPONENT ${component})
  install(FILES ${manual}/bash-completion/completions/${name}
    DESTINATION share/bash-completion/completions COMPONENT ${component})
  install(FILES ${manual}/zsh/site-functions/_${name}
    DESTINATION share/zsh/site-functions COMPONENT ${component})
endforeach()
add_custom_target(tile_manual ALL DEPENDS ${pages})

# What the Python package needs, as pyproject.toml asks for it: one file for each
# library, since wheels have no links, and those of the system that not every
# machine has. They find each other by $ORIGIN.
foreach(target tile_static tile_run)
  install(FILES $<TARGET_FILE:${target}> DESTINATION lib RENAME $<TARGET_SONAME_FILE_NAME:${target}>
    COMPONENT python EXCLUDE_FROM_ALL)
endforeach()
file(GLOB zstd /usr/lib/*/libzstd.so.1)
foreach(library ${TILE_CJSON_LIBRARY} ${zstd})
  get_filename_component(real ${library} REALPATH)
  string(REGEX REPLACE "(\\.so\\.[0-9]+).*" "\\1" soname ${real})
  get_filename_component(soname ${soname} NAME)
  install(FILES ${real} DESTINATION lib RENAME ${soname} COMPONENT python EXCLUDE_FROM_ALL)
endforeach()
