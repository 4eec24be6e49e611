#!/usr/bin/env python3
"""Times kernels of tile-compile beside the best libraries, and guards the ratios.

    gate.py build --out DIR [--only REGEX]       # no GPU: compiles every kernel
    gate.py run --kernels DIR --json FILE [--part 1/2] [--only REGEX] [--tune]
    gate.py show FILE... [--plot FILE.svg]       # the table, as Markdown
    gate.py check FILE... --baseline FILE        # fails when speed was lost

`run` needs a GPU, PyTorch and Triton. It checks every result of ours, then measures
each workload twice. In bursts: graphs of some 2 ms in turns with all peers, a pause
after each, medians and quartiles of the turns; the clock is free. Alone: a part of a
second of one side without a pause, in turns, which the limit of power rules.
Inputs rotate through more memory than the second-level cache.
Of several kernels, and of several settings of a peer, the fastest stands for its
side: configs.json names it; --tune looks for it anew and writes it there. Ours is
the fastest in bursts that is at least 0.97 of the peer alone; where none is, the
fastest alone of those within a twentieth of the fastest in bursts.

`check` compares ratios (best peer / ours, in bursts) with those of a baseline. It
fails where two workloads fall below 0.95 of it, or one below 0.90, by more than three
times the spread of the two."""

import argparse
import concurrent.futures
import json
import math
import os
import re
import statistics
import subprocess
import sys
import time

import workloads

HERE = os.path.dirname(os.path.abspath(__file__))
CONFIGS = os.path.join(HERE, "configs.json")
TURN_MS, PAUSE_S, TURNS = 2.0, 0.004, 15
SHORTLIST = 4  # kernels of a side that are timed in turns
ALONE_S, ALONE_TURNS = 0.25, 3
LOST_ONE, LOST_TWO, SPREADS = 0.90, 0.95, 3
SHORTLIST_TURNS = 3
FRUGAL_ALONE, FRUGAL_WITHIN = 0.97, 1.05


def chosen_workloads(options):
    return [w for w in workloads.all_workloads()
            if re.search(options.only, w.section + " " + w.name)]


def geomean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


#===-- Build -------------------------------------------------------------===#

def build(options):
    texts = {}
    for workload in chosen_workloads(options):
        texts.update(workload.kernels)
    os.makedirs(options.out, exist_ok=True)

    def compile_one(name):
        path = os.path.join(options.out, name + ".mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(texts[name])
        done = subprocess.run([options.compiler, path, "--target=sm_90a", "--no-remarks",
                               "-o", options.out], capture_output=True, text=True,
                              check=False)
        return name, done.returncode, done.stderr

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, status, text in pool.map(compile_one, sorted(texts)):
            failed += status != 0
            if text.strip():
                print("%s: %s" % (name, text.strip()))
    print("%d kernels, %d failed" % (len(texts), failed))
    return 1 if failed else 0


#===-- Measure -----------------------------------------------------------===#

def contenders(bursts):
    """Of {kernel: ms}, those that may stand for all, the fastest first."""
    names = sorted(bursts, key=bursts.get)
    return [k for k in names if bursts[k] <= FRUGAL_WITHIN * bursts[names[0]]]


def is_frugal(alone, peer):
    return FRUGAL_ALONE * alone <= peer


def choice(tried, alone, peer):
    """The first that is frugal, or else the fastest alone."""
    return next((k for k in tried if is_frugal(alone[k], peer)),
                min(tried, key=alone.get))


class Meter:
    """Graphs of launches, timed by events."""

    def __init__(self, torch):
        self.torch, self.stream = torch, torch.cuda.Stream()

    def graph(self, functions, count):
        torch = self.torch
        with torch.cuda.stream(self.stream):
            for function in functions[:2]:
                function()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=self.stream):
            for i in range(count):
                functions[i % len(functions)]()
        return graph

    def replay(self, graph):
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end)

    def estimates(self, candidates):
        """{name: milliseconds of one launch, roughly} of {name: functions}. All take
        turns, after pauses: what runs first after other work has a slower clock."""
        graphs = {name: self.graph(functions, len(functions))
                  for name, functions in candidates.items()}
        times = {name: [] for name in graphs}
        for turn in range(SHORTLIST_TURNS + 1):
            for name in sorted(graphs, reverse=turn % 2 == 1):
                time.sleep(PAUSE_S)
                times[name].append(self.replay(graphs[name]) / len(candidates[name]))
        return {name: min(t[1:]) for name, t in times.items()}

    def estimate(self, functions):
        return self.estimates({"": functions})[""]

    def bursts(self, sides):
        """{side: milliseconds of one launch, one per turn}"""
        graphs, times = {}, {name: [] for name in sides}
        for name, (functions, estimate) in sides.items():
            count = max(len(functions), math.ceil(TURN_MS / estimate))
            graphs[name] = self.graph(functions, count), count
            self.replay(graphs[name][0])
        for turn in range(TURNS):
            for name in sorted(graphs, reverse=turn % 2 == 1):
                time.sleep(PAUSE_S)
                graph, count = graphs[name]
                times[name].append(self.replay(graph) / count)
        return times

    def alone(self, sides):
        """{side: milliseconds of one launch} of seconds without a pause."""
        times = {name: [] for name in sides}
        graphs = {}
        for name, (functions, estimate) in sides.items():
            count = max(len(functions), math.ceil(5 * TURN_MS / estimate))
            graphs[name] = self.graph(functions, count), count
        for _ in range(ALONE_TURNS):
            for name, (graph, count) in graphs.items():
                end = time.monotonic() + ALONE_S
                last = []
                while time.monotonic() < end:
                    last.append(self.replay(graph) / count)
                times[name].append(statistics.median(last[len(last) // 2:]))
        return {name: statistics.median(t) for name, t in times.items()}


def error_of(torch, output, reference):
    """Relative to the norm; NaN where the output is not finite or not comparable."""
    if output.shape != reference.shape or not torch.isfinite(output).all():
        return float("nan")
    difference = output.to(reference.dtype) - reference
    return (difference.norm() / reference.norm()).item()


class Runner:
    def __init__(self, options):
        import torch
        import tilerun
        torch.manual_seed(1)
        torch.backends.cuda.matmul.allow_tf32 = True
        self.torch, self.tilerun, self.options = torch, tilerun, options
        self.device, self.meter, self.modules = tilerun.Device(), Meter(torch), {}
        with open(CONFIGS, encoding="utf-8") as file:
            self.configs = json.load(file)

    def module(self, name):
        if name not in self.modules:
            self.modules[name] = self.tilerun.Module(
                self.device, os.path.join(self.options.kernels, name))
        return self.modules[name]

    def ours(self, name, case):
        """The launches of a kernel, once they are known to be right."""
        module = self.module(name)
        functions = [module.bind(arguments) for arguments in case.ours]
        if case.output.is_floating_point():
            case.output.view(self.torch.uint8).fill_(255)  # NaN
        functions[0]()
        self.torch.cuda.synchronize()
        error = error_of(self.torch, case.output, case.reference)
        if not error <= case.tolerance:
            raise ValueError("%s is wrong: relative error %g" % (name, error))
        return functions

    def shortlist(self, workload, settings, row):
        """{side: [(name, functions, ms)]}: of ours, and of each peer, those that a few
        launches found fastest, which tells those apart that are far behind."""
        known = {} if self.options.tune else self.configs.get(workload.section + " " +
                                                              workload.name, {})
        candidates, estimates = {}, {}
        for side, name, make in settings:
            if known.get(side, name) != name:
                continue
            try:
                functions = make()
                self.meter.estimate(functions)
                candidates[side, name] = functions
            except Exception as error:  # one that fails is told, and left out
                row["errors"][name] = "%s: %s" % (type(error).__name__, str(error)[:300])
        estimates = self.meter.estimates(candidates)
        row["tried"] = {name: ms for (_, name), ms in estimates.items()}
        best = {}
        for (side, name), ms in sorted(estimates.items(), key=lambda x: x[1]):
            best.setdefault(side, []).append((name, candidates[side, name], ms))
        return {side: tried[:SHORTLIST] for side, tried in best.items()}

    def measure(self, shortlist, row):
        """Times all of the shortlist in turns, and alone what stands for each side."""
        sides = {(side, name): (functions, ms) for side, tried in shortlist.items()
                 for name, functions, ms in tried}
        times = self.meter.bursts(sides)
        median = {k: statistics.median(t) for k, t in times.items()}
        kept = {side: min((k for k in times if k[0] == side), key=median.get)
                for side in shortlist}
        alone = self.meter.alone({k: sides[k] for k in kept.values()})
        peer = min(alone[k] for side, k in kept.items() if side != "ours")
        tried = contenders({k: ms for k, ms in median.items() if k[0] == "ours"})
        if tried[1:] and not is_frugal(alone[tried[0]], peer):
            alone |= self.meter.alone({k: sides[k] for k in tried})
        kept["ours"] = choice([k for k in tried if k in alone], alone, peer)
        row["configs"] = {side: name for side, name in kept.values()}
        row["burst"] = {side: statistics.quantiles(times[k], n=4)
                        for side, k in kept.items()}
        row["alone"] = {side: alone[k] for side, k in kept.items()}

    def run(self, workload):
        row = {"section": workload.section, "name": workload.name,
               "work": workload.work, "unit": workload.unit, "tried": {}, "errors": {}}
        case = workload.case()
        settings = [("ours", name, lambda n=name: self.ours(n, case))
                    for name in workload.kernels]
        settings += [(name.split(" ")[0], name, lambda f=functions: f)
                     for name, functions in case.peers.items()]
        shortlist = self.shortlist(workload, settings, row)
        if "ours" in shortlist and len(shortlist) > 1:
            self.measure(shortlist, row)
        return row


def run(options):
    part, parts = map(int, options.part.split("/"))
    chosen = chosen_workloads(options)[part - 1::parts]
    runner = Runner(options)
    torch = runner.torch
    torch.mm(*[torch.randn(4096, 4096, device="cuda") for _ in range(2)])
    properties = torch.cuda.get_device_properties(0)
    result = {"device": properties.name, "torch": torch.__version__,
              "seconds": 0, "rows": []}
    start = time.monotonic()
    for workload in chosen:
        row = {"section": workload.section, "name": workload.name}
        try:
            if time.monotonic() - start > options.seconds:
                raise TimeoutError("not run: out of time")
            row = runner.run(workload)
        except Exception as error:  # a workload that fails does not end the others
            row["errors"] = {"": "%s: %s" % (type(error).__name__, str(error)[:300])}
        result["rows"].append(row)
        result["seconds"] = round(time.monotonic() - start)
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
        print(line_of(row), flush=True)
        torch.cuda.empty_cache()
    if options.tune:
        for row in result["rows"]:
            if row.get("configs"):
                runner.configs[row["section"] + " " + row["name"]] = row["configs"]
        with open(options.configs or CONFIGS, "w", encoding="utf-8") as file:
            json.dump(runner.configs, file, indent=1, sort_keys=True)
            file.write("\n")
    return 0 if all("burst" in row for row in result["rows"]) else 1


#===-- Show and check ----------------------------------------------------===#

def peers_of(row):
    return [side for side in row["burst"] if side != "ours"]


def ratio_of(row, kind="burst"):
    """Best peer / ours in time; above 1 ours is faster."""
    times = {s: t[1] if kind == "burst" else t for s, t in row[kind].items()}
    return min(times[s] for s in peers_of(row)) / times["ours"]


def spread_of(row):
    """Half the quartiles of the ratio, relative."""
    return sum((t[2] - t[0]) / (2 * t[1]) for t in row["burst"].values()
               ) / len(row["burst"])


def rate(row, ms):
    return row["work"] / ms * (1e-9 if row["unit"] == "TFLOP/s" else 1e-6)


def line_of(row):
    head = "%-9s %-34s " % (row["section"], row["name"])
    if "burst" not in row:
        return head + "FAILED " + "; ".join("%s: %s" % x for x in row["errors"].items())
    text = head + "ours %8.1f %s  " % (rate(row, row["burst"]["ours"][1]), row["unit"])
    text += "  ".join("%s %8.1f" % (s, rate(row, row["burst"][s][1]))
                      for s in peers_of(row))
    text += "  ratio %.3f alone %.3f" % (ratio_of(row), ratio_of(row, "alone"))
    wrong = [e for e in row["errors"].values() if "wrong" in e]
    return text + ("  " + "; ".join(wrong) if wrong else "")


def read_rows(paths):
    rows, device = [], ""
    for path in paths:
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        device = result["device"]
        rows += result["rows"]
    return device, rows


def table(device, rows):
    lines = ["%s; ratios are best peer / ours in time: above 1 ours is faster." % device,
             "", "| Section | Workload | ours | kernel | best peer | ratio, bursts | spread "
             "| ratio, alone |", "|---|---|---|---|---|---|---|---|"]
    for row in rows:
        if "burst" not in row:
            lines.append("| %s | %s | failed | %s | | | | |"
                         % (row["section"], row["name"],
                            "; ".join(row["errors"].values())[:100]))
            continue
        peer = min(peers_of(row), key=lambda s: row["burst"][s][1])
        lines.append("| %s | %s | %.1f %s | %s | %s %.1f | %.3f | %.3f | %.3f |" % (
            row["section"], row["name"], rate(row, row["burst"]["ours"][1]), row["unit"],
            row["configs"]["ours"], row["configs"][peer],
            rate(row, row["burst"][peer][1]), ratio_of(row), spread_of(row),
            ratio_of(row, "alone")))
    sections = {}
    for row in rows:
        if "burst" in row:
            sections.setdefault(row["section"], []).append(row)
    lines += ["", "| Section | Workloads | geomean, bursts | least | geomean, alone |",
              "|---|---|---|---|---|"]
    for section, group in sections.items():
        ratios = [ratio_of(row) for row in group]
        lines.append("| %s | %d | %.3f | %.3f | %.3f |" % (
            section, len(group), geomean(ratios), min(ratios),
            geomean([ratio_of(row, "alone") for row in group])))
    return "\n".join(lines)


def plot(rows):
    """An SVG: a bar per workload, from 0.5 to 1.5 of the best peer."""
    rows = [row for row in rows if "burst" in row]
    height, left, scale = 16, 300, 400
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
             'font-family="sans-serif" font-size="11">'
             % (left + scale + 60, height * (len(rows) + 2))]
    for i, row in enumerate(rows):
        ratio, y = ratio_of(row), height * (i + 1)
        width = max(0.0, min(1.0, ratio - 0.5)) * scale
        parts.append('<text x="%d" y="%d" text-anchor="end">%s %s</text>'
                     % (left - 6, y + 11, row["section"], row["name"]))
        parts.append('<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>'
                     % (left, y + 2, width, height - 4,
                        "#2a7" if ratio >= 1 else "#c62"))
        parts.append('<text x="%.1f" y="%d">%.3f</text>' % (left + width + 4, y + 11, ratio))
    parts.append('<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#000"/></svg>'
                 % (left + scale // 2, height, left + scale // 2, height * (len(rows) + 1)))
    return "\n".join(parts) + "\n"


def show(options):
    device, rows = read_rows(options.json)
    print(table(device, rows))
    if options.plot:
        with open(options.plot, "w", encoding="utf-8") as file:
            file.write(plot(rows))
    return 0


def check(options):
    rows = {(r["section"], r["name"]): r for r in read_rows(options.json)[1]}
    lost = []
    for row in read_rows([options.baseline])[1]:
        now = rows.get((row["section"], row["name"]))
        if "burst" not in row or now is None:
            continue
        if "burst" not in now:
            lost.append((0.0, row))
            continue
        part = ratio_of(now) / ratio_of(row)
        if 1 - part > SPREADS * (spread_of(now) + spread_of(row)) and part < LOST_TWO:
            lost.append((part, row))
    for part, row in sorted(lost, key=lambda pair: pair[0]):
        print("%s %s: %.3f of the baseline" % (row["section"], row["name"], part))
    return 1 if len(lost) > 1 or any(part < LOST_ONE for part, _ in lost) else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("build")
    command.add_argument("--out", required=True)
    command.add_argument("--compiler", default=os.path.join(
        os.path.dirname(os.path.dirname(HERE)), "build", "bin", "tile-compile"))
    command.add_argument("--only", default="")
    command = commands.add_parser("run")
    command.add_argument("--kernels", required=True)
    command.add_argument("--json", required=True)
    command.add_argument("--part", default="1/1")
    command.add_argument("--only", default="")
    command.add_argument("--seconds", type=float, default=460)
    command.add_argument("--tune", action="store_true")
    command.add_argument("--configs", help="where --tune writes; default: configs.json")
    command = commands.add_parser("show")
    command.add_argument("json", nargs="+")
    command.add_argument("--plot")
    command = commands.add_parser("check")
    command.add_argument("json", nargs="+")
    command.add_argument("--baseline", required=True)
    options = parser.parse_args()
    return {"build": build, "run": run, "show": show, "check": check}[options.command](
        options)


if __name__ == "__main__":
    sys.exit(main())
