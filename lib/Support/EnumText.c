//===- EnumText.c - Enum attributes of dialects, through their text -------===//
//
// The parts of the bindings' runtime (Build.h) that are too long for a header.
//
//===----------------------------------------------------------------------===//

#include "Build.h"

// No bound op has more than 13 operand groups.
enum { TEXT_CAPACITY = 256, MAX_GROUPS = 32 };

typedef struct {
  char text[TEXT_CAPACITY];
  size_t length;
} Text;

static void text_append(MlirStringRef s, void *user_data) {
  Text *out = user_data;
  size_t room = TEXT_CAPACITY - 1 - out->length;
  size_t n = s.length < room ? s.length : room;
  memcpy(out->text + out->length, s.data, n);
  out->length += n;
  out->text[out->length] = '\0';
}

static void text_append_cstr(Text *out, const char *s) {
  text_append(tile_str(s), out);
}

static bool is_single_bit(int64_t v) { return v && !(v & (v - 1)); }

MlirAttribute tile_ods_enum_attr(MlirContext context, const char *prefix,
                                 const TileEnumCase *cases, int num_cases,
                                 int64_t value, const char *separator) {
  Text text = {{0}, 0};
  text_append_cstr(&text, prefix);
  size_t start = text.length;
  // An exact case wins; a bit enum is otherwise the list of its bits.
  for (int i = 0; i < num_cases && text.length == start; i++)
    if (cases[i].v == value)
      text_append_cstr(&text, cases[i].s);
  if (text.length == start && separator[0]) {
    for (int i = 0; i < num_cases; i++) {
      if (!is_single_bit(cases[i].v) || !(cases[i].v & value))
        continue;
      if (text.length > start)
        text_append_cstr(&text, separator);
      text_append_cstr(&text, cases[i].s);
    }
  }
  text_append_cstr(&text, ">");
  return mlirAttributeParseGet(context,
                               (MlirStringRef){text.text, text.length});
}

int64_t tile_ods_enum_value(MlirAttribute attribute, int prefix_length,
                            const TileEnumCase *cases, int num_cases,
                            const char *separator) {
  Text text = {{0}, 0};
  int64_t value = 0;
  if (!attribute.ptr)
    return 0;
  mlirAttributePrint(attribute, text_append, &text);
  const char *p = text.text + prefix_length;
  while (*p && *p != '>') {
    size_t word = strcspn(p, separator[0] ? ",|> " : ">");
    for (int i = 0; i < num_cases; i++)
      if (strlen(cases[i].s) == word && !memcmp(cases[i].s, p, word))
        value |= cases[i].v;
    p += word;
    p += strspn(p, ",| ");
  }
  return value;
}

//===-- Operand groups ----------------------------------------------------===//

void tile_ods_set_operands(TileRange group, int segment, TileValues values) {
  if (segment >= 0) {
    const char *name = "operandSegmentSizes";
    MlirAttribute sizes = tile_ods_get_attribute(group.op, name);
    intptr_t num_groups = mlirDenseArrayGetNumElements(sizes);
    int32_t changed[MAX_GROUPS];
    assert(num_groups <= MAX_GROUPS);
    for (intptr_t i = 0; i < num_groups; i++)
      changed[i] = mlirDenseI32ArrayGetElement(sizes, i);
    changed[segment] = (int32_t)values.n;
    tile_ods_set_attribute(
        group.op, name,
        mlirDenseI32ArrayGet(mlirOperationGetContext(group.op), num_groups,
                             changed));
  }
  mlirxSetOperandGroup(group.op, group.start, group.n, values.n, values.p);
}
