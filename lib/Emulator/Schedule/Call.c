//===- Call.c - call: printf and assertions -------------------------------===//
//
// The functions of the system; those of the module are in DeviceFunctionCall.c.
// CUDA C++ Programming Guide, "Formatted Output": vprintf takes the format and
// a buffer of arguments, each aligned to its size.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Memory/Address.h"
#include "Emulator/Ptx/DeviceFunction.h"

#include <stdio.h>

enum { MAX_STRING = 1024, MAX_OUTPUT_BYTES = 1 << 20 };

typedef struct {
  TileWarp *warp;
  const TileInsn *insn;
  uint32_t lane;
  uint64_t arguments; // address
  uint64_t offset;    // of the next argument
} PrintState;

//===-- Memory of the kernel ----------------------------------------------===//

static bool read_memory(const PrintState *state, uint64_t address,
                        void *out_bytes, uint32_t size_bytes) {
  const uint8_t *memory = tile_emu_global_pointer(
      state->warp, state->insn, state->lane, address, size_bytes);
  if (memory)
    memcpy(out_bytes, memory, size_bytes);
  return memory;
}

static void read_string(const PrintState *state, uint64_t address,
                        char out_text[MAX_STRING]) {
  uint32_t length = 0;
  while (length + 1 < MAX_STRING &&
         read_memory(state, address + length, &out_text[length], 1) &&
         out_text[length])
    length++;
  out_text[length] = 0;
}

static uint64_t next_argument(PrintState *state, uint32_t size_bytes) {
  state->offset = (state->offset + size_bytes - 1) & ~(size_bytes - 1ull);
  uint64_t value = 0;
  read_memory(state, state->arguments + state->offset, &value, size_bytes);
  state->offset += size_bytes;
  return value;
}

//===-- Formatting --------------------------------------------------------===//

/// One conversion. `flags` begins with `%` and has flags, width and precision,
/// all checked, but no length modifier.
static void print_conversion(PrintState *state, TileBuffer *output,
                             const char *flags, char conversion, bool is_long) {
  char format[48], text[MAX_STRING];
  snprintf(format, sizeof format, "%s%s%c", flags,
           strchr("diouxX", conversion) ? "ll" : "", conversion);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  switch (conversion) {
  case 'd':
  case 'i': {
    uint64_t value = next_argument(state, is_long ? 8 : 4);
    tile_emu_buffer_print(output, format,
                          is_long ? (long long)value
                                  : (long long)(int32_t)(uint32_t)value);
    break;
  }
  case 'o':
  case 'u':
  case 'x':
  case 'X':
    tile_emu_buffer_print(
        output, format,
        (unsigned long long)next_argument(state, is_long ? 8 : 4));
    break;
  case 'c':
    tile_emu_buffer_print(output, format, (int)next_argument(state, 4));
    break;
  case 'p':
    tile_emu_buffer_print(output, "0x%llx",
                          (unsigned long long)next_argument(state, 8));
    break;
  case 's':
    read_string(state, next_argument(state, 8), text);
    tile_emu_buffer_print(output, format, text);
    break;
  default: {
    uint64_t bits = next_argument(state, 8);
    double number;
    memcpy(&number, &bits, sizeof number);
    tile_emu_buffer_print(output, format, number);
    break;
  }
  }
#pragma GCC diagnostic pop
}

/// A width or precision of more than three digits would make one conversion
/// produce a huge text.
static bool has_long_number(const char *flags) {
  uint32_t num_digits = 0;
  for (; *flags; flags++) {
    num_digits = *flags >= '0' && *flags <= '9' ? num_digits + 1 : 0;
    if (num_digits > 3)
      return true;
  }
  return false;
}

/// Returns what follows the conversion that begins at `at`.
static const char *print_directive(PrintState *state, TileBuffer *output,
                                   const char *at) {
  char flags[32];
  uint32_t length = 0;
  bool is_long = false;
  flags[length++] = *at++;
  for (; *at && strchr("-+ #0123456789.lhzjt", *at); at++) {
    if (strchr("lzjt", *at))
      is_long = true;
    else if (*at != 'h' && length + 1 < sizeof flags)
      flags[length++] = *at;
  }
  flags[length] = 0;
  if (*at == 0)
    return at;
  bool is_known = strchr("diouxXcspfFeEgGaA", *at) && !has_long_number(flags);
  if (is_known)
    print_conversion(state, output, flags, *at, is_long);
  else
    tile_emu_buffer_print(output, "%c", *at);
  return at + 1;
}

static void print(PrintState *state, TileBuffer *output, const char *format) {
  while (*format) {
    if (*format == '%')
      format = print_directive(state, output, format);
    else
      tile_emu_buffer_print(output, "%c", *format++);
  }
}

static TileLanes vprintf_call(TileWarp *warp, const TileInsn *insn,
                              TileLanes lanes) {
  TILE_FOR_LANES (l, lanes) {
    PrintState state = {warp, insn, l, 0, 0};
    uint64_t format_address;
    char format[MAX_STRING];
    TileBuffer text = {0};
    if (!read_memory(&state, tile_u64(warp, insn->a)[l], &format_address, 8) ||
        !read_memory(&state, tile_u64(warp, insn->b)[l], &state.arguments, 8))
      continue;
    read_string(&state, format_address, format);
    print(&state, &text, format);
    // The buffer of a GPU is 1 MiB for all blocks; later text is lost too.
    if (text.text && warp->cluster->output.length < MAX_OUTPUT_BYTES)
      tile_emu_buffer_print(&warp->cluster->output, "%s", text.text);
    tile_emu_buffer_deinit(&text);
  }
  return 0;
}

//===-- Other functions ---------------------------------------------------===//

static TileLanes assertion(TileWarp *warp, const TileInsn *insn,
                           TileLanes lanes) {
  tile_emu_find(warp, insn, lanes, TILE_FINDING_TRAP, "call of %s",
                insn->as.text);
  warp->cluster->is_stopped = true;
  return 0;
}

// __assertfail: the first argument is the message.
static TileLanes assertion_with_message(TileWarp *warp, const TileInsn *insn,
                                        TileLanes lanes) {
  char message[MAX_STRING] = {0};
  uint64_t address;
  PrintState state = {warp, insn, (uint32_t)__builtin_ctz(lanes), 0, 0};
  if (read_memory(&state, tile_u64(warp, insn->a)[state.lane], &address, 8))
    read_string(&state, address, message);
  tile_emu_find(warp, insn, lanes, TILE_FINDING_TRAP, "call of %s: %s",
                insn->as.text, message);
  warp->cluster->is_stopped = true;
  return 0;
}

static bool is_param_pair(const TileOperand *list) {
  return list->kind == TILE_OPERAND_LIST && list->num_subs == 2 &&
         list->subs[0].kind == TILE_OPERAND_VARIABLE &&
         list->subs[1].kind == TILE_OPERAND_VARIABLE;
}

void tile_emu_decode_call(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  TileParser *parser = decoder->parser;
  uint32_t at = decoder->num_ops && // after the list of results
                decoder->ops[0]->kind == TILE_OPERAND_LIST;
  if (at >= decoder->num_ops) {
    tile_decode_fail(decoder, "the function is missing");
    return;
  }
  if (decoder->ops[at]->kind == TILE_OPERAND_FUNCTION ||
      decoder->ops[at]->kind == TILE_OPERAND_REGISTER) {
    tile_emu_decode_function_call(decoder, at);
    return;
  }
  TileText name = decoder->ops[at]->text;
  const TileOperand *arguments =
      at + 1 < decoder->num_ops ? decoder->ops[at + 1] : NULL;
  char *callee =
      tile_arena_strdup(&parser->module->arena, name.start, name.length);
  if (strstr(callee, "assert") || strstr(callee, "abort")) {
    insn->as.text = callee;
    insn->exec = assertion;
    if (!strcmp(callee, "__assertfail") && arguments &&
        arguments->kind == TILE_OPERAND_LIST && arguments->num_subs == 5 &&
        arguments->subs[0].kind == TILE_OPERAND_VARIABLE) {
      insn->a = tile_decode_src_of(decoder, &arguments->subs[0], TILE_PTX_U64);
      insn->exec = assertion_with_message;
    }
    return;
  }
  if (strcmp(callee, "vprintf") || !arguments || !is_param_pair(arguments)) {
    tile_decode_unsupported(decoder, "a function outside of the module");
    return;
  }
  insn->a = tile_decode_src_of(decoder, &arguments->subs[0], TILE_PTX_U64);
  insn->b = tile_decode_src_of(decoder, &arguments->subs[1], TILE_PTX_U64);
  insn->exec = vprintf_call;
}
