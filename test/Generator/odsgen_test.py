#!/usr/bin/env python3
"""utils/odsgen on a small dialect: what it reads, decides and writes.

  odsgen_test.py --tblgen LLVM_TBLGEN --llvm-include DIR [UNITTEST OPTIONS]
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ODSGEN = HERE.parents[1] / "utils" / "odsgen"
sys.path.insert(0, str(ODSGEN))

# pylint: disable=wrong-import-position
import ods_naming  # noqa: E402
import ods_writer  # noqa: E402
from gen_attrs import attrs_files  # noqa: E402
from gen_hooks import hooks_header  # noqa: E402
from gen_ops import inference_table, ops_header  # noqa: E402
from gen_passes import passes_files  # noqa: E402
from ods_model import Kind, read_ops  # noqa: E402
from ods_records import Records  # noqa: E402

OPTIONS = argparse.Namespace()


def dump(name):
    """The records of a file in Inputs."""
    command = [OPTIONS.tblgen, "--dump-json", "-I", OPTIONS.llvm_include,
               str(HERE / "Inputs" / name)]
    text = subprocess.run(command, check=True, capture_output=True).stdout
    return Records(json.loads(text))


def one_line(text):
    """Text with every run of spaces and line ends made one space."""
    return " ".join(text.split())


class NamingTest(unittest.TestCase):
    """Spelling of identifiers."""

    def test_identifier(self):
        """Keywords and the names that bindings use get an underscore."""
        self.assertEqual(ods_naming.identifier("static_sizes"), "static_sizes")
        self.assertEqual(ods_naming.identifier("default"), "default_")
        self.assertEqual(ods_naming.identifier("op"), "op_")
        self.assertEqual(ods_naming.identifier("a.b-c"), "a_b_c")

    def test_snake_case(self):
        """Runs of capitals are one word."""
        self.assertEqual(ods_naming.snake_case("numTiles"), "num_tiles")
        self.assertEqual(ods_naming.snake_case("ConvertTileToNVGPU"),
                         "convert_tile_to_nvgpu")
        self.assertEqual(ods_naming.snake_case("MMALayout"), "mma_layout")

    def test_enum_names(self):
        """The innermost C++ namespace is the prefix."""
        self.assertEqual(ods_naming.enum_names("::mlir::gpu", "Dimension"),
                         ("GpuDimension", "GPU_DIMENSION"))
        self.assertEqual(ods_naming.enum_names("", "Kind"), ("Kind", "KIND"))

    def test_handle_type(self):
        """A def without prefix takes that of its dialect."""
        self.assertEqual(
            ods_naming.handle_type("Tile_CopyOp", "Tile_Dialect"), "TileCopyOp")
        self.assertEqual(ods_naming.handle_type("ForOp", "SCF_Dialect"),
                         "ScfForOp")


class WriterTest(unittest.TestCase):
    """Layout of text."""

    def test_wrap(self):
        """Lines end after commas, never inside a string."""
        text = 'call(first_argument, "a, b", ' + ", ".join(["argument"] * 12) + ");"
        lines = ods_writer.wrap(text, "  ")
        self.assertGreater(len(lines), 1)
        self.assertTrue(all(len(line) <= 80 for line in lines))
        self.assertTrue(all(line.endswith((",", ";")) for line in lines))
        self.assertIn('"a, b"', lines[0])
        self.assertEqual(one_line(" ".join(lines)), text)

    def test_c_string(self):
        """Quotes and backslashes are escaped, lines joined."""
        self.assertEqual(ods_writer.c_string('a "b"\n \\c'), r'"a \"b\" \\c"')

    def test_write_if_changed(self):
        """An equal file keeps its time."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "file"
            ods_writer.write_if_changed(path, "one")
            before = path.stat().st_mtime_ns
            time.sleep(0.02)
            ods_writer.write_if_changed(path, "one")
            self.assertEqual(path.stat().st_mtime_ns, before)
            ods_writer.write_if_changed(path, "two")
            self.assertEqual(path.read_text(encoding="utf-8"), "two")


class OpsTest(unittest.TestCase):
    """Bindings of the sample dialect."""

    @classmethod
    def setUpClass(cls):
        cls.records = dump("sample.td")
        cls.header = ops_header(cls.records, "tile")
        cls.flat = one_line(cls.header)

    def op(self, name):
        """The op of a mnemonic."""
        return next(op for op in read_ops(self.records, "tile")
                    if op.name == f"tile.{name}")

    def test_source_order(self):
        """Ops come as the .td file has them."""
        names = [op.name for op in read_ops(self.records, "tile")]
        self.assertEqual(names, ["tile.zebra", "tile.ant", "tile.match",
                                 "tile.twins"])

    def test_only_one_dialect(self):
        """Ops of another dialect are left out."""
        self.assertEqual(read_ops(self.records, "other"), [])

    def test_attribute_kinds(self):
        """Each attribute is classified by its storage."""
        kinds = {a.name: a.kind for a in self.op("ant").attributes}
        self.assertEqual(kinds, {
            "color": Kind.DIALECT_ENUM, "bits": Kind.INTEGER_ENUM,
            "count": Kind.INT, "fast": Kind.UNIT, "note": Kind.STRING,
            "sizes": Kind.INT32_ARRAY})
        optional = {a.name for a in self.op("ant").attributes if a.is_optional}
        self.assertEqual(optional, {"bits", "count", "fast", "note"})

    def test_enum(self):
        """Enumerators, text and prefix of a dialect attribute."""
        enum = self.op("ant").attributes[0].enum
        self.assertEqual(enum.c_type, "TileColor")
        self.assertEqual([(c.symbol, c.text, c.value) for c in enum.cases],
                         [("DarkRed", "dark_red", 0), ("Blue", "blue", 4)])
        self.assertEqual(enum.attr_prefix, "#tile.color<")
        self.assertIn("TILE_COLOR_Blue = 4,", self.header)
        bits = self.op("ant").attributes[1].enum
        self.assertEqual(bits.separator, "|")
        self.assertIsNone(bits.attr_prefix)
        self.assertNotIn("TileBits_attr", self.header)

    def test_same_names(self):
        """A result does not take the name of an argument."""
        self.assertEqual([r.c_name for r in self.op("ant").results],
                         ["middle_res", "others"])
        self.assertEqual(self.op("zebra").arguments[1].c_name, "default_")

    def test_operand_groups(self):
        """Constant places where possible, segments or shares elsewhere."""
        self.assertIn("tile_zebra_default_(SampleZebraOp o) "
                      "{ return mlirOperationGetOperand(o.op, 1); }", self.flat)
        self.assertIn("tile_ant_first_group(SampleAntOp o) "
                      "{ return tile_ods_operand_segment(o.op, 0); }", self.flat)
        self.assertIn("mlirOperationGetOperand(o.op, "
                      "tile_ods_operand_segment(o.op, 1).start)", self.flat)
        self.assertIn("return tile_range_first(tile_ods_operand_segment(o.op, "
                      "2));", self.flat)
        self.assertIn("tile_twins_mid(SampleTwinsOp o) { return "
                      "mlirOperationGetOperand(o.op, tile_ods_operand_group("
                      "o.op, 0, 1, 1, 2).start); }", self.flat)
        self.assertIn("operand_sizes[] = {(int32_t)a.first_group.n, 1, "
                      "a.last.ptr != NULL};", self.flat)

    def test_inference(self):
        """What the builders leave to MLIR."""
        self.assertEqual(inference_table(self.records, "tile"),
                         '{"tile.zebra", true},\n{"tile.ant", false},\n'
                         '{"tile.match", true},\n{"tile.twins", false},\n')
        self.assertNotIn("MlirType type;", self.header)
        self.assertIn("MlirType middle_res_type; TileTypes others_type;",
                      self.flat)

    def test_documentation(self):
        """Summaries are joined to one line."""
        self.assertIn("/// tile.zebra: an op with an inferred result\n",
                      self.header)
        self.assertIn("\n/// tile.ant\n", self.header)

    def test_layout(self):
        """Banner, guard, and one statement a line."""
        lines = self.header.split("\n")
        self.assertTrue(lines[0].startswith("//===- Tile/Ops/tile.h - "))
        self.assertIn("#ifndef TILE_GEN_TILE_OPS_TILE_H", lines)
        self.assertTrue(self.header.endswith(
            "#endif // TILE_GEN_TILE_OPS_TILE_H\n"))
        code = [line for line in lines if not line.startswith("//")]
        self.assertFalse([line for line in code if line.count(";") > 1])
        self.assertFalse([line for line in code if len(line) > 80])

    def test_deterministic(self):
        """The same records give the same text."""
        self.assertEqual(ops_header(dump("sample.td"), "tile"), self.header)

    def test_hooks(self):
        """A hook per bit that is set."""
        header = hooks_header(self.records)
        prototypes = [line for line in header.split("\n") if line.endswith(");")]
        self.assertEqual(prototypes, [
            "MlirLogicalResult tile_zebra_verify(MlirOperation op);",
            "TileFold tile_ant_fold(MlirOperation op, intptr_t n, "
            "const MlirAttribute *operands);",
            "void tile_ant_effects(MlirOperation op, TileEffects effects);"])

    def test_attribute_functions(self):
        """Maker, test and getters of an attribute; none for an enum's."""
        header, definitions = attrs_files(self.records, "Sample")
        self.assertIn("MlirAttribute tile_point_attr(MlirContext ctx, int64_t "
                      "x, TileI64s rest);", one_line(header))
        self.assertIn("TileI64s tile_point_attr_rest(MlirAttribute a);", header)
        self.assertIn("bool tile_point_attr_is(MlirAttribute a);", header)
        self.assertNotIn("color", header)
        self.assertIn("return ::llvm::isa_and_present<::tile::PointAttr>"
                      "(unwrap(a));", definitions)


class PassesTest(unittest.TestCase):
    """Descriptors of the sample passes."""

    @classmethod
    def setUpClass(cls):
        cls.header, cls.source = passes_files(dump("sample-passes.td"), "Sample")

    def test_order(self):
        """Passes are registered in the order of the file."""
        calls = [line.strip() for line in self.source.split("\n")
                 if line.strip().startswith("tile_register_pass(")]
        self.assertEqual(calls, ["tile_register_pass(&tile_second_by_name_desc);",
                                 "tile_register_pass(&tile_convert_to_abc_desc);"])

    def test_options(self):
        """Members of the options struct, and their defaults."""
        self.assertIn("typedef struct { int64_t max_steps; const char *chip; "
                      "bool verbose; TilePassIntList sizes; } "
                      "TileSecondByNameOptions;", one_line(self.header))
        initial = [line.strip() for line in self.source.split("\n")
                   if ".initial" in line]
        self.assertEqual(initial, ['.initial = "7",', '.initial = "sm_80",',
                                   '.initial = "false",', '.initial = "",'])

    def test_texts(self):
        """Texts are C literals, dialects are declared once."""
        self.assertIn(r'.summary = "comes \"first\""', self.source)
        self.assertEqual(self.source.count(
            "mlirGetDialectHandle__arith__(void);"), 1)
        self.assertIn("typedef struct { char none; } TileConvertToABCOptions;",
                      one_line(self.header))

    def test_anchor_is_refused(self):
        """Passes that run on one op only are not supported."""
        records = dump("sample-passes.td")
        records.named("SecondByName")["baseClass"] = (
            "::mlir::OperationPass<FuncOp>")
        with self.assertRaises(ValueError):
            passes_files(records, "Sample")


def main():
    """Takes our options off the command line, leaves unittest's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tblgen", required=True)
    parser.add_argument("--llvm-include", required=True)
    _, rest = parser.parse_known_args(namespace=OPTIONS)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
