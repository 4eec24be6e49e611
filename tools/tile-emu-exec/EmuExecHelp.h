//===- EmuExecHelp.h - What tile-emu-exec says of itself ------------------===//
#ifndef TILE_TOOLS_TILE_EMU_EXEC_EMU_EXEC_HELP_H
#define TILE_TOOLS_TILE_EMU_EXEC_EMU_EXEC_HELP_H

void emu_exec_print_help(void);

#endif // TILE_TOOLS_TILE_EMU_EXEC_EMU_EXEC_HELP_H
