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
install(FILES include/Tile/Diagnostic.h include/Tile/Emulator.h include/Tile/Run.h DESTINATION include/Tile COMPONENT emulator)
install(FILES include/Tile/Support/Status.h include/Tile/Support/TensorMap.h
  DESTINATION include/Tile/Support COMPONENT emulator)
configure_file(cmake/tile-emu.pc.in ${PROJECT_BINARY_DIR}/tile-emu.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tile-emu.pc DESTINATION lib/pkgconfig COMPONENT emulator)

# libtile.so is also a plugin of mlir-opt. MLIR itself is not installed.
install(TARGETS tile-opt tile-compile RUNTIME DESTINATION bin COMPONENT compiler)
install(TARGETS tile LIBRARY DESTINATION lib COMPONENT compiler NAMELINK_COMPONENT compiler)
set_target_properties(tile-opt tile-compile PROPERTIES
  INSTALL_RPATH "$ORIGIN/../lib:${TILE_LLVM_ROOT}/lib")
