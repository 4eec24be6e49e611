"""Mistakes in the use of barriers, as changes of printed IR.

A Program is the lines of a module with one function, as tile-opt prints it just before
tile-verify-channels. An operator gets a program, the number of a line and a
random.Random; it returns other lines, or None where it has nothing to change. What it
makes may be invalid IR: who uses it asks tile-opt. It is never another right program
that does something else: data is left alone, and so is control that no barrier depends
on. OPERATORS has one entry for each kind of mistake."""

import functools
import itertools
import re

VALUE = r"%[\w#]+"
# What orders the accesses of different threads.
BARRIER = re.compile(r"tile\.(barrier_(wait|arrive|expect)|fence_proxy|tma_wait|turn)\b")
MENTION = re.compile(r"(?:tile\.barrier_(?:wait|arrive|expect)|signal) (%%\w+)\[(%s)\]" % VALUE)
KIND = re.compile(r"!tile\.barrier<(\d+)>")
# Predicates that differ where both sides are equal; those that hold more often.
NEIGHBOURS = {"slt": "sle", "sle": "slt", "sgt": "sge", "sge": "sgt",
              "ult": "ule", "ule": "ult", "ugt": "uge", "uge": "ugt"}
WIDER = ("sle", "sge", "ule", "uge")
CONSTANTS = {"zero": "0 : i32", "one": "1 : i32", "slot": "0 : index",
             "step": "1 : index", "two": "2 : index"}

OPERATORS = {}


def operator(name):
    def add(function):
        OPERATORS[name] = function
        return function
    return add


#===-- Programs --------------------------------------------------------------===#


def prepared(lines):
    """With the constants that mutants use: %mutant_zero and so on."""
    at = next(i for i, line in enumerate(lines) if "func.func" in line) + 1
    return lines[:at] + ["    %%mutant_%s = arith.constant %s\n" % item
                         for item in CONSTANTS.items()] + lines[at:]


def indent(line):
    return len(line) - len(line.lstrip(" "))


def end_of(lines, i):
    """The line that closes the region which line i opens; `} else {` is one."""
    return next(j for j in range(i + 1, len(lines))
                if indent(lines[j]) == indent(lines[i]) and lines[j].lstrip().startswith("}"))


def opener_of(lines, i):
    """The line that opens the region of line i; -1 for none."""
    return next((j for j in range(i - 1, -1, -1) if indent(lines[j]) < indent(lines[i])
                 and lines[j].rstrip().endswith("{")), -1)


def launches(lines):
    """First and last line of each kernel."""
    return [(i, end_of(lines, i)) for i, line in enumerate(lines)
            if re.match(r" *gpu\.launch\b", line)]


def kernel_of(lines, i):
    """The lines of the kernel of line i, as a range."""
    first, last = next(((a, b) for a, b in launches(lines) if a < i < b),
                       (0, len(lines) - 1))
    return range(first + 1, last)


def roles(lines, kernel):
    """The lines inside of each role."""
    return [range(i + 1, end_of(lines, i)) for i in kernel if " tile.role " in lines[i]]


def role_of(lines, i):
    """The lines of the role of line i; the whole kernel, if it is in none."""
    kernel = kernel_of(lines, i)
    return next((role for role in roles(lines, kernel) if i in role), kernel)


def yielded(lines, i):
    """What the region that line i opens hands on, and the number of that line."""
    for j in range(end_of(lines, i) - 1, i, -1):
        match = re.match(r" *scf\.yield (.*) :", lines[j])
        if match and opener_of(lines, j) == i:
            return match.group(1).split(", "), j
    return [], i


def begins(line):
    """(argument, value) of what a loop begins with."""
    match = re.search(r"(?:iter_args|scf\.while )\((.*?)\)", line)
    return re.findall(r"(%\w+) = (%[\w#]+)", match.group(1)) if match else []


class Program(list):
    """Lines, and what is known of their values. Regions beside each other use the same
    names, but the last definition before a line is the one that it sees."""

    @functools.cached_property
    def definitions(self):
        """The lines that define each name."""
        result = {}
        for i, line in enumerate(self):
            names = re.match(r" *((?:%\w+(?::\d+)?(?:, )?)+) = ", line)
            found = re.findall(r"%\w+", names.group(1)) if names else []
            found += [name for name, _ in begins(line)]
            if line.lstrip().startswith("^"):
                found += re.findall(r"(%\w+):", line)
            for name in found:
                result.setdefault(name, []).append(i)
        return result

    def definition(self, i, name):
        """(line, name) of what line i calls so."""
        name = name.split("#")[0]
        return max((j for j in self.definitions.get(name, []) if j < i), default=-1), name

    @functools.cached_property
    def positions(self):
        """(line, name) of the values that slots and parities of barriers come from, by
        arithmetic, by way of loops and branches, and of private memory."""
        result, todo = set(), []
        for i, line in enumerate(self):
            if "tile.barrier_" in line or "signal" in line:
                todo += [(i, name) for name in re.findall(r"(?:\[|parity )(%[\w#]+)", line)]
        while todo:
            at = self.definition(*todo.pop())
            if at[0] >= 0 and at not in result:
                result.add(at)
                todo += self.sources(*at)
        return result

    def sources(self, i, name):
        """(line, value) of what a value is made of."""
        line = self[i]
        made = re.match(r" *%.* = (?:arith\.|tile\.advance|memref\.load)(.*)", line)
        if made:
            return [(i, value) for value in re.findall(VALUE, made.group(1))]
        if " = scf.if" in line and not begins(line):
            return self.results(i) # all of them: few have more than positions
        if line.lstrip().startswith("^"):
            return self.carried(i, [n for n in re.findall(r"(%\w+):", line)].index(name))
        arguments = [argument for argument, _ in begins(line)]
        if name not in arguments:
            return [] # a counter, or a result
        number = arguments.index(name)
        loop = i if "scf.for" in line else end_of(self, i)
        values, j = yielded(self, loop)
        return [(i, begins(line)[number][1])] + [(j, value) for value in values[number:number + 1]]

    def results(self, i):
        found = []
        while self[i].rstrip().endswith("{"):
            values, j = yielded(self, i)
            found += [(j, value) for value in values]
            i = end_of(self, i)
        return found

    def carried(self, i, number):
        """What scf.condition hands to an argument of the body."""
        for j in range(i - 1, -1, -1):
            match = re.match(r" *scf\.condition\(.*?\) (.*) :", self[j])
            if match:
                return [(j, value) for value in match.group(1).split(", ")[number:number + 1]]
        return []

    def is_position(self, i, name):
        return (i, name) in self.positions


def allocated(lines, kernel):
    """Barriers of a kernel, with the number of their slots."""
    found = (re.match(r" *(%\w+) = tile\.barrier_alloc.*!tile\.barrier<(\d+)>", lines[i])
             for i in kernel)
    return {match.group(1): match.group(2) for match in found if match}


def constant_of(lines, i, name):
    """(value, type) of a constant at line i; (None, None) for other values."""
    pattern = re.compile(r" *%s = arith\.constant (-?\d+) : (\w+)" % re.escape(name))
    for j in range(i - 1, -1, -1):
        match = pattern.match(lines[j])
        if match:
            return int(match.group(1)), match.group(2)
    return None, None


def number_of(lines, i, name):
    return constant_of(lines, i, name)[0]


def replaced(lines, i, *text):
    return lines[:i] + list(text) + lines[i + 1:]


def moved(lines, i, to):
    """With line i before line `to`, and with it the cast that makes its slot."""
    match = MENTION.search(lines[i])
    cast = re.compile(r" *%s = (arith\.index_cast .*\n)" % re.escape(match.group(2))
                      if match else r"(?!)")
    made = [cast.match(line) for line in lines[max(i - 3, 0):i]]
    made = ["%mutant_cast = " + m.group(1) for m in made if m]
    line = lines[i].replace("[%s]" % match.group(2), "[%mutant_cast]") if made else lines[i]
    rest = lines[:i] + lines[i + 1:]
    to -= i < to
    return rest[:to] + made + [line] + rest[to:]


#===-- One word of one line --------------------------------------------------===#


def change(pattern, text):
    """An operator that changes one match in a line."""
    def apply(lines, i, rng):
        matches = list(re.finditer(pattern, lines[i]))
        if not matches:
            return None
        match = rng.choice(matches)
        new = text(match, rng) if callable(text) else match.expand(text)
        return replaced(lines, i, lines[i][:match.start()] + new + lines[i][match.end():])
    return apply


def by(delta):
    return lambda match, rng: match.group(1) + str(
        max(1, int(match.group(2)) + rng.choice([-delta, delta])))


def another_agent(match, rng):
    return "by <%s>" % rng.choice([a for a in ("warps", "threads", "leader")
                                   if a != match.group(1)])


OPERATORS.update({
    "count": change(r"(arrivals )(\d+)", by(1)),
    "bytes": change(r"(bytes )(\d+)", by(16)),
    "depth": change(r"(tile\.advance .* depth )(\d+)", by(1)),
    "agent": change(r"by <(\w+)>", another_agent),
    "held parity": change(r"parity (%s)" % VALUE, "parity %mutant_zero"),
    "slot": change(r"(barrier_\w+ %%\w+|signal %%\w+)\[%s\]" % VALUE, r"\1[%mutant_slot]"),
    "stale position": change(r"scf\.yield (%\w+), (%\w+) : i32, i32",
                             r"scf.yield \2, \1 : i32, i32"),
})


@operator("position")
def position(lines, i, rng):
    """The next one is slot 0, or parity 0."""
    if "= tile.advance" in lines[i]:
        return None
    return change(r"%next_(slot|parity)\w*", "%mutant_zero")(lines, i, rng)


@operator("parity")
def flip(lines, i, _):
    match = re.search(r"parity (%s)" % VALUE, lines[i])
    if not match:
        return None
    return replaced(lines, i, "%%mutant_flip = arith.xori %s, %%mutant_one : i32\n"
                    % match.group(1), lines[i].replace(match.group(0), "parity %mutant_flip"))


@operator("next slot")
def next_slot(lines, i, _):
    match = re.search(r"(barrier_\w+ %%\w+|signal %%\w+)\[(%s)\]" % VALUE, lines[i])
    if not match:
        return None
    return replaced(lines, i,
                    "%%mutant_next = arith.addi %s, %%mutant_step : index\n" % match.group(2),
                    "%mutant_other = arith.remui %mutant_next, %mutant_two : index\n",
                    lines[i].replace(match.group(0), match.group(1) + "[%mutant_other]"))


@operator("initial position")
def initial_position(lines, i, rng):
    """The other slot or parity at first: 0 for 1, 1 for 0."""
    line = lines[i]
    flipped = re.match(r" *(%%\w+) = arith\.xori %s, (%%\w+)" % VALUE, line)
    if flipped and lines.is_position(i, flipped.group(1)) and number_of(
            lines, i, flipped.group(2)) == 1:
        return replaced(lines, i, line.replace(flipped.group(2), "%mutant_zero"))
    kept = re.match(r" *memref\.store (%\w+), (%\w+)\[\] : memref<i32,", line)
    if kept:
        is_ours = lines.definition(i, kept.group(2)) in lines.positions
        values = [kept.group(1)] if is_ours else []
    else:
        values = [value for argument, value in begins(line) if lines.is_position(i, argument)]
    others = {(0, "i32"): "%mutant_one", (1, "i32"): "%mutant_zero",
              (0, "index"): "%mutant_step", (1, "index"): "%mutant_slot"}
    values = [v for v in values if constant_of(lines, i, v) in others]
    if not values:
        return None
    value = rng.choice(values)
    other = others[constant_of(lines, i, value)]
    at = rng.choice([m for m in re.finditer(re.escape(value) + r"\b", line)])
    return replaced(lines, i, line[:at.start()] + other + line[at.end():])


#===-- Barriers and agents that are others -----------------------------------===#


def another(lines, i, name, rng):
    """(name, slots) of another barrier of the kernel; None: there is none."""
    others = [item for item in allocated(lines, kernel_of(lines, i)).items()
              if item[0] != name]
    return rng.choice(others) if others else None


@operator("signal elsewhere")
def signal_elsewhere(lines, i, rng):
    match = re.search(r"(signal )(%\w+)(\[\S+\] of !tile\.barrier<)\d+", lines[i])
    other = match and another(lines, i, match.group(2), rng)
    return other and replaced(lines, i, lines[i].replace(
        match.group(0), match.group(1) + other[0] + match.group(3) + other[1]))


@operator("other barrier")
def other_barrier(lines, i, rng):
    """Of a wait, an arrival or bytes."""
    match = re.search(r"tile\.barrier_(?:wait|arrive|expect) (%\w+)\[", lines[i])
    other = match and another(lines, i, match.group(1), rng)
    return other and replaced(lines, i, KIND.sub(
        "!tile.barrier<%s>" % other[1],
        lines[i].replace(match.group(0), match.group(0).replace(match.group(1), other[0]))))


@operator("swapped rings")
def swapped_rings(lines, i, rng):
    """A role, or the kernel from here on, takes two barriers of one kind for each
    other."""
    match = MENTION.search(lines[i])
    if not match:
        return None
    first, kinds = match.group(1), allocated(lines, kernel_of(lines, i))
    others = [name for name, kind in kinds.items()
              if kind == kinds.get(first) and name != first]
    if not others:
        return None
    names = {first: rng.choice(others)}
    names[names[first]] = first
    program = role_of(lines, i)
    numbers = range(i, program.stop) if rng.random() < 0.3 else program
    return [MENTION.sub(lambda m: m.group(0).replace(m.group(1), names.get(m.group(1), m.group(1)), 1),
                        line) if j in numbers else line for j, line in enumerate(lines)]


@operator("leader")
def leader(lines, i, _):
    """One thread waits where all need to, or all where one would do."""
    if not re.search(r"tile\.barrier_wait|tile\.turn", lines[i]):
        return None
    if "{leader}" in lines[i]:
        return replaced(lines, i, lines[i].replace(" {leader}", ""))
    new = re.sub(r" : (!tile\.barrier<\d+>)$", r" {leader} : \1", lines[i].rstrip("\n"))
    return replaced(lines, i, new + "\n") if new + "\n" != lines[i] else None


@operator("another role")
def another_role(lines, i, rng):
    """An arrival moves to a role that another one is, beside an op on some barrier,
    whose slot it takes."""
    match = re.search(r"tile\.barrier_arrive %%\w+\[(%s)\]" % VALUE, lines[i])
    others = [role for role in roles(lines, kernel_of(lines, i)) if i not in role]
    places = [j for role in others for j in role if MENTION.search(lines[j])]
    if not match or not places:
        return None
    to = rng.choice(places)
    slot = MENTION.search(lines[to]).group(2)
    line = " " * indent(lines[to]) + lines[i].lstrip().replace(
        match.group(0), match.group(0).replace("[%s]" % match.group(1), "[%s]" % slot))
    made = replaced(lines, i, line)
    return moved(made, i, to + rng.randrange(2))


#===-- Ops that go, come twice or stand elsewhere ----------------------------===#


@operator("drop")
def drop(lines, i, _):
    return lines[:i] + lines[i + 1:] if BARRIER.search(lines[i]) else None


@operator("double")
def double(lines, i, _):
    return lines[:i + 1] + lines[i:] if BARRIER.search(lines[i]) else None


@operator("expect")
def expect(lines, i, rng):
    """Bytes are not expected, twice, half, or without the arrival."""
    if "tile.barrier_expect" not in lines[i]:
        return None
    how = rng.randrange(4)
    if how == 0:
        return lines[:i] + lines[i + 1:]
    if how == 1:
        return lines[:i + 1] + lines[i:]
    if how == 2:
        return change(r"(bytes )(\d+)", lambda m, _: m.group(1) + str(
            int(m.group(2)) * 2 if rng.random() < 0.5 else int(m.group(2)) // 2))(lines, i, rng)
    if "{no_arrival}" in lines[i]:
        return replaced(lines, i, lines[i].replace(" {no_arrival}", ""))
    return replaced(lines, i, re.sub(r"(bytes \d+)", r"\1 {no_arrival}", lines[i]))


@operator("move")
def move(lines, i, rng):
    """By some lines, in and out of branches and loops."""
    if not BARRIER.search(lines[i]):
        return None
    to = max(1, min(len(lines) - 2, i + rng.choice([-6, -4, -3, -2, -1, 1, 2, 3, 4, 6])))
    if any("gpu." in line for line in lines[min(i, to):max(i, to) + 1]):
        return None # out of the kernel
    rest = lines[:i] + lines[i + 1:]
    return rest[:to] + [lines[i]] + rest[to:]


@operator("over branch")
def over_branch(lines, i, rng):
    """Into a branch beside it, or out of its own."""
    if not BARRIER.search(lines[i]):
        return None
    to, outer = [], opener_of(lines, i)
    if re.match(r" *(.* = )?scf\.if|.*\} else \{", lines[outer]):
        first, last = outer, end_of(lines, outer)
        while "else" in lines[first].split("{")[0]:
            first = next(j for j in range(first - 1, 0, -1) if indent(lines[j]) == indent(lines[first]))
        while lines[last].rstrip().endswith("else {"):
            last = end_of(lines, last)
        to += [first, last + 1]
    for j in range(outer + 1, end_of(lines, outer)):
        if indent(lines[j]) == indent(lines[i]) and re.match(r" *(.* = )?scf\.if", lines[j]):
            end = end_of(lines, j)
            to += [j + 1, end - ("scf.yield" in lines[end - 1])]
    return moved(lines, i, rng.choice(to)) if to else None


@operator("swap")
def swap(lines, i, _):
    """With the access after it, or before it."""
    if not BARRIER.search(lines[i]):
        return None
    for numbers in (range(i + 1, len(lines)), range(i - 1, 0, -1)):
        for k in numbers:
            if "tile.copy" in lines[k]:
                result = list(lines)
                result[i], result[k] = lines[k], lines[i]
                return result
            if not re.search(r"arith\.|tile\.(region|advance|barrier_|fence_)", lines[k]):
                break
    return None


#===-- Depths, distances and places ------------------------------------------===#


@operator("residue")
def residue(lines, i, rng):
    match = re.match(r" *(%\w+) = arith\.(?:remui|divui)", lines[i])
    if not match or not lines.is_position(i, match.group(1)):
        return None
    return change(r"(arith\.(?:remui|divui) %\w+, )%\w+", r"\1%mutant_two")(lines, i, rng)


@operator("shallow")
def shallow(lines, i, rng):
    """A role, or the kernel, counts the slots of a ring to one less: what runs ahead by
    as many iterations as there are slots comes round too early."""
    wraps = re.compile(r"arith\.(?:remui|divui|cmpi eq,) %s, (%%\w+) : index|depth (\d+)$" % VALUE)

    def depth_at(j):
        match = wraps.search(lines[j].rstrip("\n"))
        if not match:
            return None
        if match.group(2):
            return int(match.group(2))
        is_wrap = "cmpi" not in lines[j] or any("arith.select" in line for line in lines[j:j + 4])
        return number_of(lines, j, match.group(1)) if is_wrap else None

    depth = depth_at(i)
    kernel = kernel_of(lines, i)
    if not depth or depth < 2 or str(depth) not in allocated(lines, kernel).values():
        return None
    numbers = kernel if rng.random() < 0.5 else role_of(lines, i)
    result = ["%s%%mutant_less = arith.constant %d : index\n" % (" " * indent(lines[kernel.start]), depth - 1)]
    for j, line in enumerate(lines[kernel.start:], kernel.start):
        if j in numbers and depth_at(j) == depth:
            line = re.sub(r"depth \d+$", "depth %d" % (depth - 1), line)
            line = re.sub(r"(arith\.\w+ (?:eq, )?%s, )%%\w+ : index" % VALUE, r"\1%mutant_less : index", line)
        result.append(line)
    return lines[:kernel.start] + result


@operator("stride")
def stride(lines, i, _):
    """The next position is that after it, or none."""
    match = re.match(r"( *(%\w+) = arith\.addi %\w+, )(%c\d\w*)( : index)", lines[i])
    if not match or not lines.is_position(i, match.group(2)):
        return None
    new = "%mutant_two" if number_of(lines, i, match.group(3)) == 1 else "%mutant_step"
    return replaced(lines, i, match.group(1) + new + match.group(4) + "\n")


OFFSET = re.compile(r"offset = (\d+) : i64")


def place_of(line):
    """(what, offset, bytes) of something in shared memory; None: it is not placed."""
    made, offset = re.match(r" *%\w+ = tile\.(alloc|barrier_alloc) ", line), OFFSET.search(line)
    if not made or not offset:
        return None
    slots = KIND.search(line)
    if slots:
        return made.group(1), int(offset.group(1)), 8 * int(slots.group(1))
    *sizes, kind = re.search(r"memref<([^,]*),", line).group(1).split("x")
    bits = 8 if kind.startswith("f8") else max(8, int(re.search(r"\d+$", kind).group(0)))
    size = bits // 8
    for extent in sizes:
        size *= int(extent)
    return made.group(1), int(offset.group(1)), size


@operator("one place")
def one_place(lines, i, rng):
    """Two tiles, or two barriers, have one place in shared memory, or overlap."""
    place = place_of(lines[i])
    if not place:
        return None
    what, own, size = place
    placed = [p for p in (place_of(lines[j]) for j in kernel_of(lines, i) if j != i) if p]
    end = max([own + size] + [offset + extent for _, offset, extent in placed])
    steps = (0, 0, 1024) if what == "alloc" else (0,)
    places = {offset + step for other, offset, extent in placed for step in steps
              if other == what and step < extent and offset + step + size <= end}
    if not places - {own}:
        return None
    at = rng.choice(sorted(places - {own}))
    return replaced(lines, i, OFFSET.sub("offset = %d : i64" % at, lines[i]))


#===-- Control ---------------------------------------------------------------===#


def guarded(lines, i, name):
    """The lines that run under a condition computed at line i; all lines of the loop, for
    a condition of scf.while. None where something else depends on it, too: what other
    parts of the program do then changes with it."""
    ours, result = {(i, name)}, set()
    for j in range(i + 1, end_of(lines, opener_of(lines, i))):
        if not any(lines.definition(j, value) in ours for value in re.findall(VALUE, lines[j])):
            continue
        derived = re.match(r" *(%\w+) = arith\.(?:andi|ori|xori) .* : i1", lines[j])
        asked = re.match(r" *(?:.* = )?scf\.(if |condition\()(%\w+)", lines[j])
        if derived:
            ours.add((j, derived.group(1)))
        elif not asked or lines.definition(j, asked.group(2)) not in ours:
            return None
        elif asked.group(1) == "if ":
            end = end_of(lines, j)
            while lines[end].rstrip().endswith("else {"):
                end = end_of(lines, end)
            result |= set(range(j, end))
        else:
            outer = opener_of(lines, i)
            result |= set(range(outer, end_of(lines, end_of(lines, outer))))
    return result


def is_noticed(lines, i, inside, is_more):
    """Does another part of the program of line i learn of it when these lines run once
    more, or once less? One more wait is never over and one more copy is waited for by nobody; but
    a round of waiting and completing, or the last one of a reader, may be left out, and
    then the program is right and does something else."""
    waited = {name for i in inside if "barrier_wait" in lines[i]
              for name, _ in MENTION.findall(lines[i])}
    completed = {name for i in inside if "barrier_wait" not in lines[i]
                 for name, _ in MENTION.findall(lines[i])}
    signalled = {name for j in kernel_of(lines, i)
                 for name in re.findall(r"signal (%\w+)\[", lines[j])}
    if waited & completed or not waited | completed:
        return False
    if is_more and not any("else {" in lines[i] for i in inside):
        return True
    return bool((waited | completed) & signalled)


@operator("guard")
def guard(lines, i, rng):
    """Off by one."""
    match = re.match(r"( *)(%%\w+) = arith\.cmpi (\w+), (%s), (%s) : (index|i32)" % (VALUE, VALUE),
                     lines[i])
    if not match or match.group(3) not in NEIGHBOURS:
        return None
    space, name, predicate, left, right, kind = match.groups()
    inside, how = guarded(lines, i, name), rng.choice(["addi", "subi", None, None])
    is_less_than = "l" in predicate
    is_more = NEIGHBOURS[predicate] in WIDER if how is None else (how == "addi") == is_less_than
    if inside is None or not is_noticed(lines, i, inside, is_more):
        return None
    if how is None:
        return replaced(lines, i, "%s%s = arith.cmpi %s, %s, %s : %s\n" % (
            space, name, NEIGHBOURS[predicate], left, right, kind))
    one = "%mutant_step" if kind == "index" else "%mutant_one"
    return replaced(lines, i, "%s%%mutant_off = arith.%s %s, %s : %s\n" % (
        space, how, right, one, kind),
                    "%s%s = arith.cmpi %s, %s, %%mutant_off : %s\n" % (
                        space, name, predicate, left, kind))


@operator("bound")
def bound(lines, i, rng):
    """A loop runs once more, once less, or from 0 on."""
    match = re.match(r"( *)(?:.* = )?scf\.for %\w+ = (%\w+) to (%[\w#]+) step", lines[i])
    how = rng.choice(["addi", "subi", None])
    if not match or not is_noticed(lines, i, range(i + 1, end_of(lines, i)), how != "subi"):
        return None
    if how is None or constant_of(lines, i, match.group(2))[1] != "index":
        return change(r"(scf\.for %\w+ = )%\w+ to", r"\1%mutant_slot to")(lines, i, rng)
    return replaced(lines, i, "%s%%mutant_end = arith.%s %s, %%mutant_step : index\n" % (
        match.group(1), how, match.group(3)),
                    re.sub(r" to %[\w#]+ step", " to %mutant_end step", lines[i], count=1))


#===-- Mutants ---------------------------------------------------------------===#


def make_mutants(lines, count, rng, places=None, names=None):
    """[(operator, line, lines)], all different, as equally many of each operator as can
    be. `places` are numbers of lines; by default all from the first barrier on."""
    if places is None:
        first = next(i for i, line in enumerate(lines) if "tile.barrier_init" in line)
        places = range(first, len(lines))
    lines = Program(lines)
    seen, result = {"".join(lines)}, []

    def of(name):
        for _ in range(4):  # operators have several ways
            for i in rng.sample(list(places), len(places)):
                mutant = OPERATORS[name](lines, i, rng)
                if mutant and "".join(mutant) not in seen:
                    seen.add("".join(mutant))
                    yield name, i, mutant

    order = list(names or OPERATORS)
    rng.shuffle(order)
    for made in itertools.zip_longest(*(of(name) for name in order)):
        for mutant in made:
            if mutant and len(result) < count:
                result.append(mutant)
        if len(result) >= count:
            break
    return result
