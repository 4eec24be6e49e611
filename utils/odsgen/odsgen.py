#!/usr/bin/env python3
"""odsgen: typed C bindings from ODS, over `llvm-tblgen --dump-json`.

  odsgen.py ops    DUMP.json [--out H]     accessors + builders of one dialect (C header)
  odsgen.py hooks  DUMP.json [--out H]     prototypes of the C hooks of our ops
  odsgen.py attrs  DUMP.json --out BASE    BASE.h / BASE.cpp.inc: C API of our AttrDefs/TypeDefs
  odsgen.py passes DUMP.json --out BASE    BASE.h / BASE.c: options structs + pass descriptors
"""
import argparse, json, re, sys

CKW = set("default register switch case const int long short char float double void struct union enum if else for "
          "while do return break continue goto static extern inline volatile restrict sizeof typedef auto signed "
          "unsigned bool true false op asm".split())
cid = lambda s: s + "_" if s in CKW else s
snake = lambda s: re.sub(r"[^A-Za-z0-9]", "_", s)
def us(s):                      # numTiles -> num_tiles; FooBAR -> foo_bar
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", snake(s))).lower()


class Ods:
    def __init__(self, path):
        self.d = json.load(open(path))
        self.inst = self.d["!instanceof"]
        self.enums = {}

    def rec(self, ref):
        return self.d[ref["def"]]

    def isa(self, r, cls):
        return cls in r["!superclasses"]

    def traits(self, op):
        out, todo = [], [self.rec(t) for t in op["traits"]]
        while todo:
            t = todo.pop(0)
            if self.isa(t, "TraitList"):
                todo = [self.rec(x) for x in t["traits"]] + todo
            else:
                out.append(t)
        return out

    def trait_names(self, op):
        return {t.get(k) for t in self.traits(op) for k in ("trait", "cppInterfaceName", "!name")} - {None}


class Arg:
    """One operand, attribute, property or result."""
    def __init__(self, ods, ref, name, i):
        r = ods.rec(ref)
        while ods.isa(r, "OpVariable"): r = ods.rec(r["constraint"])   # Arg<>, Res<>
        self.name, self.r = name or f"arg{i}", r
        self.c = cid(snake(self.name))
        self.operand = ods.isa(r, "TypeConstraint")
        self.prop = ods.isa(r, "Property")
        self.variadic = ods.isa(r, "Variadic") or ods.isa(r, "VariadicOfVariadic")
        self.nested = ods.isa(r, "VariadicOfVariadic")
        self.optional = ods.isa(r, "Optional")
        self.buildable = bool(r.get("builderCall")) if self.operand else False
        if self.operand:
            base = r
            while not base.get("builderCall") and base.get("baseType"):
                base = ods.rec(base["baseType"])
            self.buildable = bool(base.get("builderCall")) and not (self.variadic or self.optional)
            return
        assert self.prop or ods.isa(r, "AttrConstraint"), r["!name"]
        # --- attribute kinds
        opt = bool(r.get("isOptional")); dflt = r.get("defaultValue")
        base = r
        while base.get("baseAttr"):
            base = ods.rec(base["baseAttr"]); opt |= bool(base.get("isOptional")); dflt = dflt or base.get("defaultValue")
        self.opt = opt or bool(dflt)
        st = (base.get("storageType") or "").strip()
        self.enum = None
        k = "attr"
        if ods.isa(base, "EnumAttr"):
            self.enum = base["enum"]["def"]; k = "denum"; self.eattr = base
        elif ods.isa(base, "EnumAttrInfo") or ods.isa(base, "EnumInfo"):
            self.enum = base["!name"]; k = "ienum"
            if base.get("genSpecializedAttr") and not st.endswith("IntegerAttr"):
                k = "ienum"
        elif self.prop:
            if base.get("enum"):
                self.enum = base["enum"]["def"]; k = "ienum"; self.opt = True
            else:
                k = "attr"; self.opt = True
        elif st == "::mlir::UnitAttr": k = "unit"
        elif st == "::mlir::BoolAttr": k = "bool"
        elif st == "::mlir::StringAttr": k = "str"
        elif st == "::mlir::FlatSymbolRefAttr": k = "sym"
        elif st == "::mlir::TypeAttr": k = "type"
        elif st == "::mlir::AffineMapAttr": k = "map"
        elif st == "::mlir::DenseI64ArrayAttr": k = "i64s"
        elif st == "::mlir::DenseI32ArrayAttr": k = "i32s"
        elif st == "::mlir::IntegerAttr":
            vt = base.get("valueType"); bc = (ods.rec(vt).get("builderCall") if vt else "") or ""
            m = re.search(r"getI(\d+)Type|getIntegerType\((\d+)|getIndexType", bc)
            if m: k, self.ity = "int", "index" if "Index" in m.group(0) else m.group(1) or m.group(2)
        self.kind = k


# kind -> (field C type when required, field type when optional, state call, getter)
K = {  # field, optional field, setter expr(attr), getter type, getter expr(attr)
    "unit": ("bool", "bool", None, "bool"),
    "bool": ("bool", "TileOptInt", "mlirBoolAttrGet(tile_builder_context(b), {v})", "bool"),
    "str": ("const char *", "const char *", "tile_ods_str_attr(b, {v})", "MlirStringRef"),
    "sym": ("const char *", "const char *", "tile_ods_sym_attr(b, {v})", "MlirStringRef"),
    "type": ("MlirType", "MlirType", "mlirTypeAttrGet({v})", "MlirType"),
    "map": ("MlirAffineMap", "MlirAffineMap", "mlirAffineMapAttrGet({v})", "MlirAffineMap"),
    "i64s": ("TileI64s", "TileI64s", "mlirDenseI64ArrayGet(tile_builder_context(b), {v}.n, {v}.p)", "TileI64s"),
    "i32s": ("TileI32s", "TileI32s", "mlirDenseI32ArrayGet(tile_builder_context(b), {v}.n, {v}.p)", "TileI32s"),
    "int": ("int64_t", "TileOptInt", "tile_ods_int_attr(b, {v}, {ity})", "int64_t"),
    "attr": ("MlirAttribute", "MlirAttribute", "{v}", "MlirAttribute"),
}
PRESENT = {"str": "{f}", "sym": "{f}", "type": "{f}.ptr", "map": "{f}.ptr", "i64s": "{f}.p", "i32s": "{f}.p", "attr": "{f}.ptr"}


class OpGen:
    def __init__(self, ods, op, out):
        self.ods, self.op, self.o = ods, op, out
        self.dial = ods.rec(op["opDialect"])["name"]
        self.full = f"{self.dial}.{op['opName']}"
        self.c = snake(self.full)
        n = op["!name"]; pre, _, cls = n.partition("_")
        dpre = ods.rec(op["opDialect"])["!name"].split("_")[0]
        if not cls: pre, cls = dpre, n
        self.T = {"LLVM": "LLVM", "NVVM": "NVVM", "GPU": "GPU", "NVGPU": "NVGPU", "SCF": "Scf"}.get(pre, pre) + cls
        a = [Arg(ods, ref, nm, i) for i, (ref, nm) in enumerate(op["arguments"]["args"])]
        self.args = a
        self.operands = [x for x in a if x.operand]
        self.attrs = [x for x in a if not x.operand]
        self.results = [Arg(ods, ref, nm, i) for i, (ref, nm) in enumerate(op["results"]["args"])]
        for i, r in enumerate(self.results):
            if not op["results"]["args"][i][1]: r.name = r.c = f"result{i}" if len(self.results) > 1 else "result"
        self.regions = [(cid(snake(nm or f"region{i}")), ods.isa(ods.rec(ref), "VariadicRegion")) for i, (ref, nm) in enumerate(op["regions"]["args"])]
        self.succs = [(cid(snake(nm)), ods.isa(ods.rec(ref), "VariadicSuccessor")) for ref, nm in op["successors"]["args"]]
        self.tn = ods.trait_names(op)
        used = {x.c for x in self.args}
        for r in self.results:       # operand and result of one name (rare)
            while r.c in used: r.c += "_res"
            used.add(r.c)
        self.infer = self.can_infer()

    # port of mlir::tblgen::Operator::populateTypeInferenceInfo
    def can_infer(self):
        R = self.results
        if not R: return False
        if "InferTypeOpInterface" in self.tn: return True
        if any(r.variadic or r.optional for r in R) or "InferTypeOpInterface" not in self.ods.d: return False
        anchor = {x.name for x in self.operands if not (x.variadic or x.optional)}
        anchor |= {x.name for x in self.attrs if not x.prop and not x.opt and x.kind != "unit" and (x.r.get("valueType") or "TypedAttr" in (x.r.get("storageType") or ""))}
        if "SameOperandsAndResultType" in self.tn:
            return any(not (x.variadic or x.optional) for x in self.operands)
        known = set(anchor) | {r.name for r in R if r.buildable}
        known |= {x.name for x in self.args if x.operand and x.buildable}
        changed = True
        while changed:
            changed = False
            for t in self.ods.traits(self.op):
                if self.ods.isa(t, "AllTypesMatch"):
                    vs = set(t["values"])
                    if vs & known and not vs <= known: known |= vs; changed = True
                elif self.ods.isa(t, "TypesMatchWith") and not self.ods.isa(t, "RangedTypesMatchWith"):
                    if t["lhs"] in known and t["rhs"] not in known: known.add(t["rhs"]); changed = True
        return all(r.name in known for r in R)

    def w(self, s): self.o.append(s)

    def group(self, kind, items):
        """index arithmetic of ODS operand/result groups -> list of C expressions (start, n)"""
        segs = "AttrSizedOperandSegments" if kind == "Operand" else "AttrSizedResultSegments"
        var = [i for i, x in enumerate(items) if x.variadic or x.optional]
        N = f"mlirOperationGetNum{kind}s(o.op)"
        out = []
        for i, x in enumerate(items):
            if segs in self.tn: out.append((f"tile_ods_seg_start(o.op, \"{'operand' if kind == 'Operand' else 'result'}SegmentSizes\", {i})", f"tile_ods_seg_size(o.op, \"{'operand' if kind == 'Operand' else 'result'}SegmentSizes\", {i})"))
            elif not var: out.append((str(i), "1"))
            else:
                nv = len(var); size = f"(({N} - {len(items) - nv})" + (f" / {nv})" if nv > 1 else ")")
                before_v = sum(1 for j in var if j < i); before_f = i - before_v
                st = str(before_f) if not before_v else f"{before_f} + {before_v} * {size}" if before_v > 1 else f"{before_f} + {size}"
                out.append((st, size if i in var else "1"))
        return out

    def emit(self):
        c, T, w = self.c, self.T, self.w
        w(f"\n// {self.full}" + (" -- " + " ".join(self.op["summary"].split()) if self.op.get("summary") else ""))
        w(f"typedef struct {{ MlirOperation op; }} {T};")
        w(f"static inline bool {c}_is(MlirOperation op) {{ return tile_ods_op_is(op, \"{self.full}\", {len(self.full)}); }}")
        w(f"static inline {T} {c}_dyn(MlirOperation op) {{ return ({T}){{{c}_is(op) ? op : (MlirOperation){{0}}}}; }}")
        w(f"static inline {T} {c}_cast(MlirOperation op) {{ assert({c}_is(op)); return ({T}){{op}}; }}")
        for items, kind in ((self.operands, "Operand"), (self.results, "Result")):
            for (st, n), x in zip(self.group(kind, items), items):
                if x.variadic: w(f"static inline TileRange {c}_{x.c}({T} o) {{ return (TileRange){{o.op, {'true' if kind == 'Result' else 'false'}, {st}, {n}}}; }}")
                elif x.optional: w(f"static inline MlirValue {c}_{x.c}({T} o) {{ return {n} ? mlirOperationGet{kind}(o.op, {st}) : (MlirValue){{0}}; }}")
                else: w(f"static inline MlirValue {c}_{x.c}({T} o) {{ return mlirOperationGet{kind}(o.op, {st}); }}")
                if kind == "Operand" and not x.variadic and not x.optional:
                    w(f"static inline void {c}_set_{x.c}({T} o, MlirValue v) {{ mlirOperationSetOperand(o.op, {st}, v); }}")
        for x in self.attrs: self.emit_attr_get(x)
        for i, (r, v) in enumerate(self.regions):
            if not v: w(f"static inline MlirRegion {c}_{r}({T} o) {{ return mlirOperationGetRegion(o.op, {i}); }}")
        self.emit_build()

    def ety(self, x): return enum_names(self.ods, x.enum)[0]

    def emit_attr_get(self, x):
        c, T, w = self.c, self.T, self.w
        get, put = ("mlirxProperty", "mlirxSetProperty") if x.prop else ("mlirOperationGetInherentAttributeByName", "mlirOperationSetInherentAttributeByName")
        at = f"{get}(o.op, TILE_STR(\"{x.name}\"))"
        if x.kind == "unit":
            w(f"static inline bool {c}_{x.c}({T} o) {{ return {at}.ptr; }}")
            w(f"static inline void {c}_set_{x.c}({T} o, bool v) {{ mlirOperationSetInherentAttributeByName(o.op, TILE_STR(\"{x.name}\"), v ? mlirUnitAttrGet(mlirOperationGetContext(o.op)) : (MlirAttribute){{0}}); }}")
            return
        w(f"static inline MlirAttribute {c}_{x.c}_attr({T} o) {{ return {at}; }}")
        w(f"static inline void {c}_set_{x.c}_attr({T} o, MlirAttribute a) {{ {put}(o.op, TILE_STR(\"{x.name}\"), a); }}")
        g = {"bool": ("bool", "a.ptr && mlirBoolAttrGetValue(a)"), "str": ("MlirStringRef", "a.ptr ? mlirStringAttrGetValue(a) : (MlirStringRef){0}"),
             "sym": ("MlirStringRef", "a.ptr ? mlirFlatSymbolRefAttrGetValue(a) : (MlirStringRef){0}"), "type": ("MlirType", "a.ptr ? mlirTypeAttrGetValue(a) : (MlirType){0}"),
             "map": ("MlirAffineMap", "a.ptr ? mlirAffineMapAttrGetValue(a) : (MlirAffineMap){0}"), "int": ("int64_t", "a.ptr ? tile_ods_int_value(a) : 0")}.get(x.kind)
        if x.kind in ("ienum", "denum"):
            e, _, _ = enum_names(self.ods, x.enum)
            conv = f"({e})tile_ods_int_value(a)" if x.kind == "ienum" else f"{e}_from_attr(a)"
            g = (e, f"a.ptr ? {conv} : ({e})0")
        if g: w(f"static inline {g[0]} {c}_{x.c}({T} o) {{ MlirAttribute a = {at}; return {g[1]}; }}")
        elif x.kind in ("i64s", "i32s"):
            b = x.kind[1:3]; B = {"64": "int64_t", "32": "int32_t"}[b]
            w(f"static inline intptr_t {c}_{x.c}_size({T} o) {{ MlirAttribute a = {at}; return a.ptr ? mlirDenseArrayGetNumElements(a) : 0; }}")
            w(f"static inline {B} {c}_{x.c}({T} o, intptr_t i) {{ return mlirDenseI{b}ArrayGetElement({at}, i); }}")

    def field(self, x):
        if x.operand: return "TileValues" if x.variadic else "MlirValue"
        if x.kind in ("ienum", "denum"): return "TileOptInt" if x.opt else self.ety(x)
        return K[x.kind][1 if x.opt else 0]

    def emit_build(self):
        c, T, w = self.c, self.T, self.w
        F, body = [], []
        if not self.infer:
            for r in self.results:
                F.append(f"{'TileTypes' if r.variadic else 'MlirType'} {r.c}_type;" if len(self.results) > 1 else f"{'TileTypes' if r.variadic else 'MlirType'} type;")
        for x in self.args: F.append(f"{self.field(x)} {x.c};")
        for r, v in self.regions: F.append(f"MlirRegion {r};" if not v else f"TileRegions {r};")
        for s, v in self.succs: F.append(f"MlirBlock {s};" if not v else f"TileBlocks {s};")
        for x in self.operands:
            body.append(f"tile_ods_operands(&s, a.{x.c});" if x.variadic else f"tile_ods_operand_opt(&s, a.{x.c});" if x.optional else f"tile_ods_operand(&s, a.{x.c});")
        if "AttrSizedOperandSegments" in self.tn:
            segs = ", ".join(f"(int32_t)a.{x.c}.n" if x.variadic else f"a.{x.c}.ptr != NULL" for x in self.operands)
            body.append(f"tile_ods_segments(&s, b, \"operandSegmentSizes\", (int32_t[]){{{segs}}}, {len(self.operands)});")
        if not self.infer:
            for r in self.results:
                f = f"a.{r.c}_type" if len(self.results) > 1 else "a.type"
                body.append(f"tile_ods_types(&s, {f});" if r.variadic else (f"if ({f}.ptr) tile_ods_type(&s, {f});" if r.optional else f"tile_ods_type(&s, {f});"))
            if "AttrSizedResultSegments" in self.tn:
                segs = ", ".join(f"(int32_t)a.{r.c}_type.n" if r.variadic else f"a.{r.c}_type.ptr != NULL" for r in self.results)
                body.append(f"tile_ods_segments(&s, b, \"resultSegmentSizes\", (int32_t[]){{{segs}}}, {len(self.results)});")
        for x in self.attrs:
            f = f"a.{x.c}"
            if x.kind == "unit":
                body.append(f"if ({f}) tile_ods_attr(&s, b, \"{x.name}\", mlirUnitAttrGet(tile_builder_context(b)));"); continue
            v = f + ".v" if self.field(x) == "TileOptInt" else f
            if x.kind == "ienum":
                val = f"tile_ods_int_attr(b, {v}, {ibits(self.ods, x)})"
            elif x.kind == "denum": val = f"{self.ety(x)}_attr(tile_builder_context(b), ({self.ety(x)}){v})"
            else: val = K[x.kind][2].format(v=v, ity={"index": 0}.get(getattr(x, "ity", ""), getattr(x, "ity", "")))
            put = "tile_ods_prop" if x.prop else "tile_ods_attr"
            cond = f"if ({f}.has) " if self.field(x) == "TileOptInt" else f"if ({PRESENT[x.kind].format(f=f)}) " if x.opt and x.kind in PRESENT else ""
            body.append(f"{cond}{put}(&s, b, \"{x.name}\", {val});")
        for r, v in self.regions:
            body.append(f"tile_ods_region(&s, a.{r});" if not v else f"tile_ods_regions(&s, a.{r});")
        for s, v in self.succs:
            body.append(f"tile_ods_succ(&s, a.{s});" if not v else f"tile_ods_succs(&s, a.{s});")
        if self.infer: body.append("tile_ods_infer(&s);")
        w(f"typedef struct {{ {' '.join(F) or 'char none;'} }} {T}Args;")
        w(f"static inline {T} {c}_build(TileBuilder *b, {T}Args a) {{\n  TileState s; tile_ods_begin(&s, b, \"{self.full}\"); (void)a;\n  " + "\n  ".join(body) + f"\n  return ({T}){{tile_ods_end(&s, b)}};\n}}")
        w(f"#define {c}_op(b, ...) {c}_build((b), ({T}Args){{__VA_ARGS__}})")
        if len(self.results) == 1 and not self.results[0].variadic and not self.results[0].optional:
            w(f"#define {c}(b, ...) mlirOperationGetResult({c}_op(b, __VA_ARGS__).op, 0)")
        else:
            w(f"#define {c}(b, ...) {c}_op(b, __VA_ARGS__)")


def enum_names(ods, name):
    e = ods.d[name]
    ns = (e.get("cppNamespace") or "").split("::")[-1]
    ns = {"mlir": "Mlir"}.get(ns, ns)
    cn = e.get("className") or name
    return ns[:1].upper() + ns[1:] + cn, (ns + "_" if ns else "").upper() + us(cn).upper(), e

def ibits(ods, x):
    return ods.d[x.enum].get("bitwidth") or 32

def emit_enum(ods, name, eattr, w):
    C, P, e = enum_names(ods, name)
    cases = [ods.rec(c) for c in e["enumerants"]]
    w(f"typedef enum {{ " + ", ".join(f"{P}_{snake(k['symbol'])} = {k['value']}" for k in cases) + f" }} {C};")
    bit = ods.isa(e, "BitEnumBase") or ods.isa(e, "BitEnumAttrBase") or "separator" in e
    w(f"static const TileEnumCase {C}_cases[] = {{" + ", ".join(f"{{{k['value']}, \"{k['str']}\"}}" for k in cases) + "};")
    if eattr is None: return
    d = ods.rec(eattr["dialect"])["name"]; m = eattr["mnemonic"] or ""
    fmt = eattr.get("assemblyFormat") or "$value"
    angle = "`<`" in fmt
    pre = f"#{d}.{m}<" if angle else f"#{d}<{m} "
    sep = e.get("separator", "") if bit else ""
    w(f"static inline MlirAttribute {C}_attr(MlirContext c, {C} v) {{ return tile_ods_enum_attr(c, \"{pre}\", {C}_cases, {len(cases)}, v, \"{sep}\"); }}")
    w(f"static inline {C} {C}_from_attr(MlirAttribute a) {{ return ({C})tile_ods_enum_value(a, {len(pre)}, {C}_cases, {len(cases)}, \"{sep}\"); }}")


def gen_ops(ods, only):
    out = []
    w = out.append
    ops = [ods.d[n] for n in ods.inst["Op"] if ods.rec(ods.d[n]["opDialect"])["name"] == only or not only]
    gens = [OpGen(ods, o, out) for o in ops]
    dial = gens[0].dial
    w(f"// Generated by odsgen.py from the ODS definitions of '{dial}'. Do not edit.\n#pragma once\n#include \"Tile/Support/Build.h\"")
    done = {}
    for g in gens:
        for x in g.attrs:
            if x.enum and (x.enum not in done or (done[x.enum] is None and x.kind == "denum")):
                done[x.enum] = x.eattr if x.kind == "denum" else None
    for n, ea in done.items():
        C, P, _ = enum_names(ods, n)
        w(f"#ifndef TILE_OPS_ENUM_{P}\n#define TILE_OPS_ENUM_{P}"); emit_enum(ods, n, ea, w); w("#endif")
    for g in gens: g.emit()
    st = {"ops": len(gens), "inferred": sum(g.infer for g in gens), "attrs": sum(len(g.attrs) for g in gens),
          "raw_attrs": sum(x.kind == "attr" for g in gens for x in g.attrs),
          "nested_variadic": sum(x.nested for g in gens for x in g.operands),
          "names": {g.full: (g.infer) for g in gens}}
    return "\n".join(out) + "\n", st


def gen_hooks(ods):
    o = ["// Generated by odsgen.py. Do not edit.\n#pragma once\n#include \"Tile/Support/Hooks.h\"\n#ifdef __cplusplus\nextern \"C\" {\n#endif"]
    for n in ods.inst["Op"]:
        r = ods.d[n]; c = r.get("cName")
        if not c: continue
        if r["hasVerifier"]: o.append(f"MlirLogicalResult {c}_verify(MlirOperation op);")
        if r["hasRegionVerifier"]: o.append(f"MlirLogicalResult {c}_verify_regions(MlirOperation op);")
        if r["hasFolder"]: o.append(f"TileFold {c}_fold(MlirOperation op, intptr_t n, const MlirAttribute *operands);")
        if r["hasCanonicalizer"]: o.append(f"void {c}_canonicalize(MlirContext ctx, MlirRewritePatternSet patterns);")
        if r["cEffects"]: o.append(f"void {c}_effects(MlirOperation op, TileEffects effects);")
        if r["cInfer"]: o.append(f"MlirLogicalResult {c}_infer(const TileInferInput *input, MlirType *out_type);")
    o.append("#ifdef __cplusplus\n}\n#endif")
    return "\n".join(o) + "\n"


CPPC = {"int64_t": ("int64_t", "{}", "{}"), "bool": ("bool", "{}", "{}"), "::mlir::Type": ("MlirType", "unwrap({})", "wrap({})"),
        "::mlir::AffineMapAttr": ("MlirAttribute", "::llvm::cast_if_present<::mlir::AffineMapAttr>(unwrap({}))", "wrap(::mlir::Attribute({}))"),
        "::mlir::Attribute": ("MlirAttribute", "unwrap({})", "wrap({})"),
        "::llvm::StringRef": ("MlirStringRef", "unwrap({})", "wrap({})"),
        "::llvm::ArrayRef<int64_t>": ("TileI64s", "::llvm::ArrayRef<int64_t>({0}.p, {0}.n)", "toI64s({})")}
def gen_attrs(ods):
    h = ["// Generated by odsgen.py. Do not edit.\n#pragma once\n#include \"Tile/Support/Lists.h\"\n#ifdef __cplusplus\nextern \"C\" {\n#endif"]
    s = ["// Generated by odsgen.py. Do not edit."]
    for kind, cls, C, U in (("AttrDef", "Attr", "MlirAttribute", "Attribute"), ("TypeDef", "Type", "MlirType", "Type")):
        for n in ods.inst.get(kind, []):
            r = ods.d[n]
            if ods.rec(r["dialect"])["name"] != "tile" or "EnumAttr" in r["!superclasses"]: continue
            cpp = "::tile::" + r["cppClassName"]; c = "tile_" + us(r["mnemonic"]) + "_" + cls.lower()
            ps = []
            for p, nm in r["parameters"]["args"]:
                t = p if isinstance(p, str) else ods.d[p["def"]]["cppType"]
                ps.append((nm,) + CPPC[t])
            sig = ", ".join(["MlirContext ctx"] + [f"{p[1]} {p[0]}" for p in ps])
            h += [f"MLIR_CAPI_EXPORTED bool {c}_is({C} a);", f"MLIR_CAPI_EXPORTED {C} {c}({sig});"]
            s += [f"bool {c}_is({C} a) {{ return ::llvm::isa_and_present<{cpp}>(unwrap(a)); }}",
                  f"{C} {c}({sig}) {{ return wrap(::mlir::{U}({cpp}::get(unwrap(ctx){''.join(', ' + p[2].format(p[0]) for p in ps)}))); }}"]
            for nm, ct, _, back in ps:
                h.append(f"MLIR_CAPI_EXPORTED {ct} {c}_{nm}({C} a);")
                s.append(f"{ct} {c}_{nm}({C} a) {{ return " + back.format(f"::llvm::cast<{cpp}>(unwrap(a)).get{nm[0].upper() + nm[1:]}()") + "; }")
    h.append("#ifdef __cplusplus\n}\n#endif")
    return "\n".join(h) + "\n", "\n".join(s) + "\n"


OPTION_KINDS = {
    "int64_t": ("int64_t", "TILE_PASS_OPTION_INT"),
    "bool": ("bool", "TILE_PASS_OPTION_BOOL"),
    "std::string": ("const char *", "TILE_PASS_OPTION_STRING"),
}


def gen_passes(ods, base):
    h = ["// Generated by odsgen.py from Passes.td. Do not edit.",
         "#ifndef TILE_PASSES_H", "#define TILE_PASSES_H",
         '#include "Tile/Support/PassSupport.h"', "#ifdef __cplusplus", 'extern "C" {', "#endif"]
    c = ["// Generated by odsgen.py from Passes.td. Do not edit.", f'#include "{base}.h"']
    names = []
    passes = sorted((ods.d[n] for n in ods.inst["PassBase"]), key=lambda r: r["!locs"] if "!locs" in r else 0)
    for r in passes:
        n = r["!name"]
        stem = us(n)
        f, T = "tile_" + stem.replace("convert_tile", "convert"), "Tile" + n.replace("ConvertTile", "Convert")
        names.append(f)
        fields = []
        for o in (ods.rec(o) for o in r["options"]):
            is_list = "ListOption" in o["!superclasses"]
            ctype, kind = ("TilePassIntList", "TILE_PASS_OPTION_INT_LIST") if is_list else OPTION_KINDS[o["type"]]
            fields.append((ctype, us(o["cppName"]), kind, o))
        h.append(f"\n/// --{r['argument']}: {r['summary']}")
        h.append("typedef struct {")
        for ctype, nm, _, o in fields:
            h.append(f"  {ctype}{'' if ctype.endswith('*') else ' '}{nm}; // {o['description']}")
        if not fields:
            h.append("  char none;")
        h.append(f"}} {T}Options;")
        h.append(f"MlirLogicalResult {f}_run(MlirOperation op, const {T}Options *options);")
        h.append(f"extern const TilePassDesc {f}_desc;")
        c.append("")
        if fields:
            c.append(f"static const TilePassOption {f}_options[] = {{")
            for _, nm, kind, o in fields:
                initial = json.dumps((o["defaultValue"] or "").strip('"'))
                c.append(f'    {{"{o["argument"]}", {kind}, offsetof({T}Options, {nm}), {json.dumps(o["description"])}, {initial}}},')
            c.append("};")
        deps = r["dependentDialects"]
        if deps:
            for x in deps:
                c.append(f"MlirDialectHandle mlirGetDialectHandle__{x}__(void);")
            c.append(f"static MlirDialectHandle (*const {f}_dialects[])(void) = {{" + ", ".join(f"mlirGetDialectHandle__{x}__" for x in deps) + "};")
        c.append(f"static MlirLogicalResult {f}_thunk(MlirOperation op, const void *options) {{")
        c.append(f"  return {f}_run(op, options);")
        c.append("}")
        m = re.match(r"::mlir::OperationPass<(.*)>", r["baseClass"])
        assert m.group(1) == "", "passes are op-agnostic"
        c.append(f"const TilePassDesc {f}_desc = {{")
        c.append(f'    .argument = "{r["argument"]}", .name = "{n}", .summary = {json.dumps(r["summary"])},')
        c.append(f"    .options_size_bytes = sizeof({T}Options),")
        if fields:
            c.append(f"    .options = {f}_options, .num_options = {len(fields)},")
        if deps:
            c.append(f"    .dialects = {f}_dialects, .num_dialects = {len(deps)},")
        c.append(f"    .run = {f}_thunk}};")
    h += ["", "/// Registers every pass above with MLIR's global registry.",
          "void tile_register_passes(void);", "#ifdef __cplusplus", "}", "#endif", "#endif // TILE_PASSES_H"]
    c.append("\nvoid tile_register_passes(void) {")
    c += [f"  tile_register_pass(&{f}_desc);" for f in names]
    c.append("}")
    return "\n".join(h) + "\n", "\n".join(c) + "\n"


def main():
    ap = argparse.ArgumentParser(); ap.add_argument("mode"); ap.add_argument("json"); ap.add_argument("--out"); ap.add_argument("--dialect"); ap.add_argument("--stats", action="store_true")
    a = ap.parse_args(); ods = Ods(a.json)
    if a.mode == "ops":
        txt, st = gen_ops(ods, a.dialect); open(a.out, "w").write(txt)
        if a.stats: n = st.pop("names"); print(a.dialect, st, file=sys.stderr); json.dump(n, open(a.out + ".names.json", "w"))
    elif a.mode == "hooks": open(a.out, "w").write(gen_hooks(ods))
    else:
        h, s = gen_attrs(ods) if a.mode == "attrs" else gen_passes(ods, a.out.split("/")[-1])
        open(a.out + ".h", "w").write(h); open(a.out + (".cpp.inc" if a.mode == "attrs" else ".c"), "w").write(s)
main()
