#!/usr/bin/env python3
"""Checks in machine code that no register of a matrix product under way is
touched before a wait that retires the product.

    check-wgmma-registers.py [--nvdisasm=PATH] [--ptxas=PATH] FILE …

A warpgroup product (HGMMA, IGMMA, QGMMA) of sm_90a runs after it was issued. Until
`WARPGROUP.DEPBAR.LE gsb0, n` has retired its group it reads the registers of A and of
the metadata of a sparse A, and reads and writes its accumulators. Those of the next
product in the chain may overlap with the accumulators, nothing else may. ptxas keeps
registers as long as its own model of the program says so; where a program writes a
register again in the next round of a loop, that model is wrong and no message tells.

Method: a forward data-flow analysis over the blocks of each function. The state has for
each product that may be under way the numbers of groups that were committed after it,
over all paths. An instruction with `gsb0` commits the group; the wait retires what has
n groups or more after it. Registers are read off the operands; instructions that are
not in the tables below fail the check, so that nothing is overlooked.

Files are cubins; PTX (.ptx), which is assembled for sm_90a first; or what nvdisasm -c
printed (.sass). nvdisasm comes with CUDA, and in
the package nvidia-cuda-nvdisasm of PyPI. Prints one line per violation and file; exit
status 1 when there is any, 2 when a file cannot be read."""

import argparse
import glob
import os
import re
import shutil
import site
import subprocess
import sys
import tempfile

MAX_AGE = 15  # groups after a product; what is older counts as this
OPEN = 1 << (MAX_AGE + 1)  # the group of the product is not yet committed

#===-- Instructions ------------------------------------------------------===#

LINE = re.compile(r"^\s+/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;?\s*$")
LABEL = re.compile(r"^(\.L\w+):")
FUNCTION = re.compile(r"^\.text\.(\S+):")
GPR = re.compile(r"^[-|~!]*R(\d+)\b")
PREDICATE = re.compile(r"^!?U?P(\d|T)$")

# By their first word: what writes no general register, and what does. Its
# first operand that is no predicate is then the destination.
NO_RESULT = set("""
    BAR BRA BRX BRXU JMP JMX EXIT RET CALL NOP BSSY BSYNC BREAK YIELD WARPSYNC
    ST STG STS STL STSM RED REDG UTMALDG UTMASTG UTMAREDG UTMACMDFLUSH UTMAPF
    UTMACCTL UBLKCP UBLKRED UBLKPF LDGSTS LDGDEPBAR DEPBAR WARPGROUP MEMBAR
    FENCE ERRBAR CCTL CCTLL CCTLT NANOSLEEP BPT KILL USETMAXREG WARPGROUPSET
    ARRIVES ACQBULK PREEXIT UCGABAR_ARV UCGABAR_WAIT CGAERRBAR ELECT
    ISETP FSETP DSETP HSETP2 PLOP3 UPLOP3 UISETP FCHK R2P UR2UP BMOV PMTRIG
    R2UR S2UR VOTEU REDUX CREDUX ULDC UMOV USEL USHF ULOP3 UIADD3 UIMAD ULEA
    UPRMT USGXT UBREV UFLO UPOPC UP2UR UF2FP ENDCOLLECTIVE RPCMOV""".split())
RESULT = set("""
    MOV IMAD IADD3 IADD VIADD LOP3 LEA SHF SHL SHR SEL PRMT SGXT BMSK BREV FLO
    POPC IABS IMNMX VIMNMX VIADDMNMX VABSDIFF VABSDIFF4 IDP IDP4A LD LDG LDS LDL
    LDC LDSM ATOM ATOMG ATOMS SHFL VOTE MATCH S2R CS2R P2R MUFU FADD FMUL FFMA
    FMNMX FSEL FSET FSWZADD FRND F2F F2I I2F I2FP F2FP I2I F2IP I2IP HADD2 HMUL2
    HFMA2 HMNMX2 HSET2 DADD DMUL DFMA DMNMX HMMA IMMA DMMA BMMA QMMA MOVM LEPC
    QSPC GETLMEMBASE B2R SYNCS TEX XMAD VHMNMX FADD32I FMUL32I CCTL_R IMUL""".split())
PRODUCTS = ("HGMMA", "IGMMA", "QGMMA", "BGMMA")


class Unknown(Exception):
    """What the tables do not know, or a file that cannot be read."""


class Instruction:
    """One instruction: writes and reads are sets of general registers; a
    product has its accumulators and what it only reads besides."""

    def __init__(self, address, text):
        self.address, self.text = address, text
        guard = re.match(r"@(!?U?P\w+)\s+", text)
        self.guard = guard.group(1) if guard else None
        body = text[guard.end():] if guard else text
        head, _, rest = body.partition(" ")
        self.opcode = head
        self.name = head.split(".")[0]
        self.operands = [o.strip() for o in rest.split(",")] if rest else []
        self.is_product = self.name in PRODUCTS
        self.accumulators, self.factors = set(), set()
        self.writes, self.reads = set(), set()
        if self.is_product:
            self.read_product()
        else:
            self.read_plain()

    def read_plain(self):
        operands = list(self.operands)
        if self.name in RESULT:
            while operands and PREDICATE.match(operands[0]):
                operands.pop(0)
            found = operands and re.match(r"^R(\d+)\b", operands[0])
            if found:
                first = int(found.group(1))
                self.writes = set(range(first, first + self.width()))
                operands.pop(0)
        elif self.name not in NO_RESULT:
            raise Unknown("%s: instruction %s is not in the tables"
                          % (self.address, self.opcode))
        for operand in operands:
            self.reads |= {int(r) for r in re.findall(r"\bR(\d+)\b", operand)}

    def width(self):
        """Registers of the result."""
        words = self.opcode.split(".")[1:]
        if self.name in ("HMMA", "IMMA", "QMMA", "BMMA", "DMMA"):
            return 8  # at most; never beside a warpgroup product
        if self.name == "LDSM":
            return {"1": 1, "2": 2, "4": 4}.get(words[-1], 4)
        if self.name == "CS2R":
            return 1 if "32" in words else 2
        if "128" in words:
            return 4
        if ("64" in words or "WIDE" in words or self.name in
                ("DADD", "DMUL", "DFMA", "DMNMX", "LEPC") or
                any(re.match(r"[FSU]64$", w) for w in words) or
                any(w.startswith("TRANS64") for w in words)):
            return 2
        return 1

    def read_product(self):
        shape = re.search(r"\.(\d+)x(\d+)x(\d+)\.(F16|F32|S32)?", self.opcode)
        if not shape:
            shape = re.search(r"\.(\d+)x(\d+)x(\d+)", self.opcode)
            kind = "S32"
        else:
            kind = shape.group(4) or "S32"
        count = int(shape.group(2)) // (4 if kind == "F16" else 2)
        registers = [GPR.match(o) for o in self.operands]
        first = registers[0]
        if first is None:
            raise Unknown("%s: no accumulators in %s"
                          % (self.address, self.text))
        self.accumulators = set(range(int(first.group(1)),
                                      int(first.group(1)) + count))
        at = 1
        if registers[1] is not None:  # A in registers
            a = int(registers[1].group(1))
            self.factors |= set(range(a, a + 4))
            at = 2
        if not self.operands[at].startswith("gdesc"):
            raise Unknown("%s: no descriptor in %s" % (self.address, self.text))
        at += 2  # the descriptor, the accumulators that come in
        for operand, register in list(zip(self.operands, registers))[at:]:
            if register is not None:  # metadata
                self.factors.add(int(register.group(1)))

    @property
    def commits(self):
        return self.is_product and "gsb0" in self.operands

    @property
    def pending(self):
        """Groups that a wait leaves under way; None: it is no wait."""
        if self.name != "WARPGROUP" or ".DEPBAR" not in self.opcode:
            return None
        return int(self.operands[1], 16)


#===-- Functions ---------------------------------------------------------===#


class Function:
    """Instructions in order, and where each of them goes on."""

    def __init__(self, name):
        self.name = name
        self.instructions = []
        self.labels = {}

    def target(self, instruction):
        found = re.search(r"`\((\.L\w+)\)", instruction.text)
        return self.labels.get(found.group(1)) if found else None

    def successors(self, i, meetings):
        """Numbers of the instructions that may run after number i; threads that
        meet at a barrier register go on at one of its `meetings`."""
        insn = self.instructions[i]
        out = [i + 1] if i + 1 < len(self.instructions) else []
        if insn.name in ("BRX", "BRXU", "JMX", "JMP"):
            raise Unknown("%s: %s is not followed" % (insn.address, insn.text))
        if insn.name in ("EXIT", "RET", "KILL"):
            return out if insn.guard else []
        target = self.target(insn)
        if insn.name == "BRA" and target is not None:
            is_always = not insn.guard and ".DIV" not in insn.opcode \
                and not PREDICATE.match(insn.operands[0])
            return [target] if is_always else out + [target]
        if insn.name == "CALL" and target is not None:
            return out + [target]
        if insn.name == "BSYNC":
            return out + sorted(meetings.get(insn.operands[0], ()))
        return out


def parse(text):
    """The functions of a listing of nvdisasm -c."""
    functions, current, labels = [], None, []
    for line in text.splitlines():
        start = FUNCTION.match(line)
        label = LABEL.match(line)
        found = LINE.match(line)
        if start:
            current = Function(start.group(1))
            functions.append(current)
        elif label and current:
            labels.append(label.group(1))
        elif found and current:
            for name in labels:
                current.labels[name] = len(current.instructions)
            labels = []
            current.instructions.append(
                Instruction(found.group(1), found.group(2)))
    return functions


#===-- Analysis ----------------------------------------------------------===#


def retire(state, pending):
    kept = OPEN | ((1 << pending) - 1)
    return {i: ages & kept for i, ages in state.items() if ages & kept}


def commit(state):
    """A group ends: what was open has nothing after it, all else one more."""
    out = {}
    for i, ages in state.items():
        older = (ages & ~OPEN) << 1
        if older & OPEN:  # beyond the oldest age
            older = (older & ~OPEN) | 1 << MAX_AGE
        out[i] = older | (1 if ages & OPEN else 0)
    return out


class State:
    """What may be so before an instruction: the ages of each product under
    way, and where each barrier register makes threads meet."""

    def __init__(self, products, meetings):
        self.products, self.meetings = products, meetings

    def copy(self):
        return State(dict(self.products), dict(self.meetings))

    def join(self, other):
        """True when it grew."""
        grew = False
        for i, ages in other.products.items():
            old = self.products.get(i, 0)
            grew |= bool(ages & ~old)
            self.products[i] = old | ages
        for register, targets in other.meetings.items():
            old = self.meetings.get(register, frozenset())
            grew |= not targets <= old
            self.meetings[register] = old | targets
        return grew


def step(function, i, state):
    insn = function.instructions[i]
    out = state.copy()
    if insn.pending is not None:
        out.products = retire(out.products, insn.pending)
    if insn.is_product:
        out.products[i] = out.products.get(i, 0) | OPEN
        if insn.commits:
            out.products = commit(out.products)
    if insn.name == "BSSY" and function.target(insn) is not None:
        out.meetings[insn.operands[0]] = frozenset([function.target(insn)])
    return out


def conflicts(function, i, products):
    """Violations of one instruction, as text."""
    insn = function.instructions[i]
    for number in sorted(products):
        product = function.instructions[number]
        touched = insn.writes & product.factors
        what = "writes"
        if insn.is_product:
            touched = insn.accumulators & product.factors
        if not touched:
            touched = insn.writes & product.accumulators
        if not touched:
            touched = (insn.factors if insn.is_product
                       else insn.reads) & product.accumulators
            what = "reads"
        if not touched and insn.is_product and \
                insn.accumulators != product.accumulators:
            touched = insn.accumulators & product.accumulators
            what = "writes"
        if touched:
            yield "%s %s %s, which the product at %s uses and no wait has " \
                "retired: %s" % (insn.address, what, ", ".join(
                    "R%d" % r for r in sorted(touched)), product.address,
                    insn.text)


def check(function):
    """Yields the violations of a function."""
    if not any(i.is_product for i in function.instructions):
        return
    states = [None] * len(function.instructions)
    states[0] = State({}, {})
    work = [0]
    while work:
        i = work.pop()
        after = step(function, i, states[i])
        for k in function.successors(i, states[i].meetings):
            if states[k] is None:
                states[k] = after.copy()
                work.append(k)
            elif states[k].join(after):
                work.append(k)
    for i, state in enumerate(states):
        if state:
            yield from conflicts(function, i, state.products)


#===-- Files -------------------------------------------------------------===#


def find_nvdisasm():
    """nvdisasm of PATH, of CUDA, or of the package of PyPI; None without."""
    found = shutil.which("nvdisasm")
    places = [os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"),
                           "bin", "nvdisasm")]
    for folder in site.getsitepackages() + [site.getusersitepackages()]:
        places += glob.glob(os.path.join(folder, "nvidia", "*", "bin",
                                         "nvdisasm"))
    return found or next((p for p in places if os.access(p, os.X_OK)), None)


def run(command):
    result = subprocess.run(command, capture_output=True, text=True,
                            check=False)
    if result.returncode:
        raise Unknown("%s fails: %s" % (command[0], result.stderr.strip()))
    return result.stdout


def listing(path, options):
    if path.endswith(".sass"):
        with open(path, encoding="utf-8") as file:
            return file.read()
    if not options.nvdisasm:
        raise Unknown("nvdisasm is not found")
    if not path.endswith(".ptx"):
        return run([options.nvdisasm, "-c", path])
    with tempfile.TemporaryDirectory() as folder:
        cubin = os.path.join(folder, "a.cubin")
        run([options.ptxas, "-arch=sm_90a", path, "-o", cubin])
        return run([options.nvdisasm, "-c", cubin])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--nvdisasm", default=find_nvdisasm())
    parser.add_argument("--ptxas", default=shutil.which("ptxas") or
                        "/usr/local/cuda/bin/ptxas")
    options = parser.parse_args()
    status = 0
    for path in options.files:
        try:
            functions = parse(listing(path, options))
            found = [(f.name, v) for f in functions for v in check(f)]
        except Unknown as problem:
            print("%s: %s" % (path, problem))
            return 2
        for name, violation in found:
            print("%s: %s: %s" % (path, name, violation))
        num_products = sum(i.is_product for f in functions
                           for i in f.instructions)
        print("%s: %d products, %d violations"
              % (path, num_products, len(found)))
        status = status or (1 if found else 0)
    return status


if __name__ == "__main__":
    sys.exit(main())
