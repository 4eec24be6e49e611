"""What the runners of this folder share: tensors with exact values, compiling
and running a kernel on the emulator, and comparing what came out.

Every value is chosen by a fixed seed and exact in its type, so that results are
compared for equality, never with a tolerance."""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import zlib

import numpy as np

import collect

FLOAT_BITS = {"f4E2M1FN": 4, "f6E3M2FN": 6, "f6E2M3FN": 6, "f8E8M0FNU": 8,
              "f8E4M3FN": 8, "f8E5M2": 8, "bf16": 16, "f16": 16, "f32": 32,
              "f64": 64}
INTEGERS = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32,
            "i64": np.int64, "u8": np.uint8, "u16": np.uint16,
            "u32": np.uint32, "u64": np.uint64}
COMPLEX = {"complex<f32>": np.complex64, "complex<f64>": np.complex128}
GUARD = 77  # what `junk` tensors hold: a value that no kernel computes


class Failure(Exception):
    """A program failed, or a result is wrong; the text says which."""

    def __init__(self, text, status=0):
        super().__init__(text)
        self.status = status  # exit status of the program, if one failed


#===-- Programs ----------------------------------------------------------===#

# The whole of a test; else, in `make check`, only our own compiler, a third of what is
# drawn at random, and each case on one target and under one schedule: ptxas takes
# longer than all before it.
IS_FULL = os.environ.get("TILE_TEST_SET", "full") == "full"

# How many cases a runner judges at once. In `make check` the tests themselves run side
# by side; the full set has some that would be the last for half an hour.
JOBS = os.cpu_count() if IS_FULL and not collect.FOLDER else 1


def each(work, items):
    """What `work` returns for each item, in their order; JOBS of them at once, so they
    write to folders or names of their own."""
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        yield from pool.map(work, items)


def schedules(count, case=0):
    """Seeds of the emulator: `count`, or one that depends on the number of the
    case."""
    return range(1, count + 1) if IS_FULL else [1 + case % count]


def targets(names, case):
    """Those that a case runs on: all, or one that depends on its number."""
    return names if IS_FULL else [names[case % len(names)]]


def some(first, count):
    """Numbers of what is drawn at random: all, or every third."""
    return range(first, first + count, 1 if IS_FULL else 3)


def without_roles(text):
    """The program with launches that the compiler makes no roles for."""
    head = r"(threads\(.*\) in \(.*\) .*{\n)"
    off = "specialize = #tile.specialize<off>"
    text = re.sub(r"specialize = #tile\.specialize<[^>]*>", off, text)
    text = re.sub(head + r"( *tile\.kernel_config \{)(?!.*specialize = )",
                  r"\1\2" + off + ", ", text)
    return re.sub(head + r"(?! *tile\.kernel_config)",
                  r"\1    tile.kernel_config {" + off + "}\n", text)


#===-- Numbers -----------------------------------------------------------===#


def round_to(values, dtype):
    """`values` as `dtype` holds them: floats rounded to nearest even (bf16 and
    8-bit ones as float32), integers cut to the low bits."""
    values = np.asarray(values)
    if dtype == "i1":
        return (values.astype(np.int64) & 1).astype(np.bool_)
    if dtype == "i4":
        return ((values.astype(np.int64) + 8 & 15) - 8).astype(np.int8)
    if dtype in INTEGERS:
        return values.astype(INTEGERS[dtype])
    if dtype in COMPLEX:
        return values.astype(COMPLEX[dtype])
    if dtype == "f16":
        return values.astype(np.float16)
    if dtype == "f64":
        return values.astype(np.float64)
    if dtype in CODES:
        return CODES[dtype][code_of(values, dtype)]
    if FLOAT_BITS[dtype] == 8:
        return round_to_8_bits(values.astype(np.float64), dtype)
    single = values.astype(np.float32)
    if dtype == "f32":
        return single
    bits = np.ascontiguousarray(single).view(np.uint32)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
    return bits.view(np.float32).reshape(single.shape)


# The number of each code, from the tables of the OCP Microscaling Formats.
def codes_of(exponent_bits, mantissa_bits, bias):
    numbers = []
    for code in range(1 << exponent_bits + mantissa_bits):
        exponent, mantissa = divmod(code, 1 << mantissa_bits)
        fraction = mantissa / (1 << mantissa_bits) + (exponent > 0)
        numbers.append(fraction * 2.0 ** (max(exponent, 1) - bias))
    return np.array(numbers + [-x for x in numbers], np.float32)


CODES = {"f4E2M1FN": codes_of(2, 1, 1), "f6E3M2FN": codes_of(3, 2, 3),
         "f6E2M3FN": codes_of(2, 3, 1),
         "f8E8M0FNU": np.array([2.0 ** (i - 127) for i in range(255)] + [np.nan],
                               np.float32)}


def code_of(values, dtype):
    """The code of the nearest number, by looking at the middle between any two: halves
    go to the even code, of powers of two to the greater one."""
    values, table = np.asarray(values, np.float64), CODES[dtype].astype(np.float64)
    is_power = dtype == "f8E8M0FNU"
    numbers = table[:255] if is_power else table[:len(table) // 2]
    middles = (numbers[:-1] + numbers[1:]) / 2
    size = np.abs(values)
    below = np.searchsorted(middles, size, side="left")  # the lower one of halves
    above = np.searchsorted(middles, size, side="right")
    code = above if is_power else np.where(below % 2 == 0, below, above)
    is_nan = np.isnan(values)
    if is_power:
        return np.where(is_nan | np.signbit(values), 255, code)
    sign = len(numbers) * np.signbit(values)
    return np.where(is_nan, len(numbers) - 1, code + sign)


def round_to_8_bits(values, dtype):
    """Too large numbers become the largest one."""
    mantissa, smallest, largest = {"f8E4M3FN": (3, -6, 448.0),
                                   "f8E5M2": (2, -14, 57344.0)}[dtype]
    magnitude = np.abs(values)
    exponent = np.frexp(magnitude)[1] - 1
    ulp = np.ldexp(1.0, np.maximum(exponent, smallest) - mantissa)
    with np.errstate(invalid="ignore"):
        rounded = np.minimum(np.round(magnitude / ulp) * ulp, largest)
    rounded = np.where(np.isinf(magnitude), largest, rounded)
    return np.copysign(rounded, values).astype(np.float32)


def elem_bytes(dtype):
    if dtype == "i4" or FLOAT_BITS.get(dtype, 8) < 8:
        raise Failure("elements of type %s share bytes" % dtype)
    if dtype in FLOAT_BITS:
        return FLOAT_BITS[dtype] // 8
    return np.dtype({**INTEGERS, **COMPLEX}[dtype]).itemsize


def make_values(kind, shape, dtype, seed):
    """ints: from -2 to 2, so that sums of products are exact. normal: with all
    bits of the type. wide: over the whole range. Others: constants."""
    rng = np.random.default_rng(seed)
    if dtype in COMPLEX and kind in ("ints", "normal"):
        parts = [make_values(kind, shape, "f64", seed + i) for i in range(2)]
        return round_to(parts[0] + 1j * parts[1], dtype)
    if kind == "ints":
        return round_to(rng.integers(-2, 3, shape), dtype)
    if kind == "normal":
        return round_to(rng.standard_normal(shape), dtype)
    if kind == "wide":
        if dtype in FLOAT_BITS:
            exponents = rng.integers(-20, 15, shape)
            return round_to(rng.standard_normal(shape) * 2.0 ** exponents, dtype)
        info = np.iinfo(np.int64)
        return round_to(rng.integers(info.min, info.max, shape), dtype)
    constants = {"zeros": 0, "ones": 1,
                 "junk": GUARD % 8 if FLOAT_BITS.get(dtype) == 8 else GUARD}
    if kind == "count":
        return round_to(np.arange(int(np.prod(shape))).reshape(shape), dtype)
    if kind == "squares":  # 0, 1, 4 and so on: where parts begin that grow
        return round_to(np.arange(int(np.prod(shape))).reshape(shape) ** 2, dtype)
    if kind == "pairs":  # metadata of sparse factors: two places of each four
        nibbles = rng.choice([4, 8, 9, 12, 13, 14], (*shape, 4))
        words = (nibbles << np.arange(0, 16, 4)).sum(axis=-1)
        return words.astype(np.uint16).astype(np.int16).astype(np.int64)
    if kind == "span":  # evenly from -8 to 8
        return round_to(np.linspace(-8, 8, int(np.prod(shape))).reshape(shape),
                        dtype)
    if kind not in constants:
        raise Failure("unknown kind of values '%s'" % kind)
    return round_to(np.full(shape, constants[kind]), dtype)


#===-- Arguments ---------------------------------------------------------===#


class Tensor:
    """A tensor argument: KIND:SHAPE:TYPE[@STRIDES+OFFSET], as tile-run has it."""

    def __init__(self, name, text):
        match = re.fullmatch(r"(\w+):([\dx]*):([\w<>]+)(@[\dx+]+)?", text)
        if not match:
            raise Failure("no tensor: '%s'" % text)
        kind, shape, self.dtype, self.placement = match.groups()
        self.name = name
        self.placement = self.placement or ""
        self.shape = tuple(int(n) for n in shape.split("x")) if shape else ()
        seed = zlib.crc32(("%s %s" % (name, text)).encode())
        self.values = make_values(kind, self.shape, self.dtype, seed)

    def write(self, path):
        np.save(path, np.ascontiguousarray(self.values).reshape(self.shape))
        return "%s:%s%s" % (path, self.dtype, self.placement)


class Scalar:
    """A number, passed as it is written."""

    def __init__(self, name, text):
        self.name = name
        self.text = text
        self.values = float(text) if re.search(r"[.einf]", text) else int(text)


def make_argument(name, text):
    return Tensor(name, text) if ":" in text else Scalar(name, text)


#===-- Programs ----------------------------------------------------------===#

def run_program(command, expect_status=0):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != expect_status:
        raise Failure("%s\n%s%sexit status %d, expected %d" % (
            " ".join(command), result.stdout, result.stderr, result.returncode,
            expect_status), result.returncode)
    return result


def compile_file(path, target, out, extra=()):
    """Compiles a file. In the full set of tests, where ptxas is found, it must be
    content too: with --werror spills and serialised products are failures. A
    choice of the compiler that is taken back for another reason than memory is a
    defect of ours."""
    assembler = [] if IS_FULL else ["--ptxas=off"]
    said = run_program(["tile-compile", path, "--target=" + target, "-o", out,
                        "--werror", *assembler, *extra]).stderr
    taken_back = re.search(r"\[tile-choice/.*does not compile:.*", said)
    if taken_back:
        raise Failure("%s: %s" % (path, taken_back.group(0)))
    if collect.FOLDER:
        collect.note_compile(path, target, out, extra)


def read_launches(json_path):
    """What the metadata of a host function says of its launches."""
    with open(json_path, encoding="utf-8") as file:
        return json.load(file)["launches"]


def read_results(json_path):
    """What the metadata of a host function says of what it returns."""
    with open(json_path, encoding="utf-8") as file:
        return json.load(file).get("results", [])


def run_function(json_path, arguments, seed, options=()):
    """Runs a host function on the emulator, or with seed None on a GPU. Returns the
    tensors afterwards by name, what it returns as result0 and so on, and the variant
    of each launch that was taken."""
    is_collected = collect.FOLDER and seed is not None
    if is_collected:
        run = collect.note_run(json_path, arguments, options)
        if collect.result_of(run):
            return collect.result_of(run)
    base = os.path.splitext(json_path)[0]
    where = ["--gpu"] if seed is None else ["--emulate", "--seed=%d" % seed]
    command = ["tile-run", json_path, *where, "--verbose", *options]
    saved = {}
    for i, argument in enumerate(arguments):
        if isinstance(argument, Scalar):
            command.append(argument.text)
            continue
        command.append(argument.write("%s.%d.in.npy" % (base, i)))
        saved[argument.name] = "%s.%d.out.npy" % (base, i)
        command += ["--save", "%d=%s" % (i, saved[argument.name])]
    for i in range(len(read_results(json_path))):
        name = "result%d" % i
        saved[name] = "%s.%s.npy" % (base, name)
        command += ["--save", "%d=%s" % (len(arguments) + i, saved[name])]
    output = run_program(command).stdout
    variants = [int(v) for v in re.findall(r"\(variant (\d+) of", output)]
    results = {name: np.load(path) for name, path in saved.items()}
    if is_collected:
        collect.note_result(run, (results, variants))
        return collect.result_of(run)
    return results, variants


#===-- Comparison --------------------------------------------------------===#


def compare_near(name, got, expected, bound, least=2.0**-100):
    """Relative to the expected value, or to `least` where that is smaller
    (results below are subnormal or cancelled)."""
    if got.shape != expected.shape:
        raise Failure("%s has shape %s, expected %s" % (name, got.shape,
                                                        expected.shape))
    got, expected = got.astype(np.float64), expected.astype(np.float64)
    same = (got == expected) | ((got != got) & (expected != expected))
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.abs(got - expected) / np.maximum(np.abs(expected), least)
    wrong = np.argwhere(~same & ~(error <= bound))
    if len(wrong):
        at = tuple(wrong[0])
        raise Failure("%s: %d of %d elements are wrong; the first is %s%s = %s, "
                      "expected %s within %g, is %g" % (
                          name, len(wrong), got.size, name,
                          [int(i) for i in at], got[at], expected[at], bound,
                          error[at]))


def compare(name, dtype, got, expected):
    """Raises Failure unless both hold the same numbers; NaN equals NaN."""
    expected = round_to(expected, dtype)
    if got.shape != expected.shape:
        raise Failure("%s has shape %s, expected %s" % (name, got.shape,
                                                        expected.shape))
    both_nan = (got != got) & (expected != expected)
    wrong = np.argwhere(~((got == expected) | both_nan))
    if len(wrong):
        at = tuple(wrong[0])
        raise Failure("%s: %d of %d elements are wrong; the first is %s%s = %s, "
                      "expected %s" % (name, len(wrong), got.size, name,
                                       [int(i) for i in at], got[at],
                                       expected[at]))


def read_words(text, keys, flags):
    """The names of a case: `key=value` or its default, and whether a flag is there."""
    values = dict(keys, **{name: False for name in flags})
    for word in text.split():
        key, equals, value = word.partition("=")
        if key not in (keys if equals else flags):
            raise Failure("unknown word '%s'" % word)
        values[key] = value if equals else True
    return values


def run_cases(cases, names, judge, are_apart=False):
    """Prints a line per case and target; `judge` returns a note or raises Failure.
    Cases that are apart share no file. The exit status: 1 when any failed."""
    def line_of(case):
        text, target = case
        try:
            return True, "ok %s %s: %s" % (target, text, judge(text, target))
        except Failure as failure:
            return False, "FAILED %s %s: %s" % (target, text, failure)

    all_cases = [(text, target) for number, text in enumerate(cases)
                 for target in targets(names, number)]
    num_failed = 0
    for is_fine, line in (each if are_apart else map)(line_of, all_cases):
        print(line, flush=True)
        num_failed += not is_fine
    return 1 if num_failed else 0
