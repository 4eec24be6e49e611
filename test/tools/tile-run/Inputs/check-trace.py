#!/usr/bin/env python3
"""Checks a trace of tile-run --profile and prints what is in it."""

import collections
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    trace = json.load(file)
assert "tick" in trace["otherData"]["time_unit"]
assert trace["otherData"]["dropped_spans"] == "0"

spans = [event for event in trace["traceEvents"] if event["ph"] == "X"]
names = {(event["pid"], event["tid"]): event["args"]["name"]
         for event in trace["traceEvents"] if event["name"] == "thread_name"}
rows = collections.defaultdict(list)
for span in spans:
    assert span["dur"] >= 0 and span["args"]["ptx_line"] > 0
    assert (span["pid"], span["tid"]) in names
    rows[span["pid"], span["tid"]].append((span["ts"], span["ts"] + span["dur"]))
for row in rows.values():
    row.sort()
    for before, after in zip(row, row[1:]):
        assert before[1] <= after[0], f"spans overlap: {before} {after}"

print(len({event["pid"] for event in spans}), "processes")
kinds = collections.Counter(span["cat"] for span in spans)
for kind in sorted(kinds):
    print(f"{kind}: {kinds[kind]}")
for (pid, tid), name in sorted(names.items()):
    if pid == 1 and tid < 1000:
        print(f"warp {tid} of CTA {pid}: {name}")
