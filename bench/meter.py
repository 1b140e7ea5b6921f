#!/usr/bin/env python3
"""What the meter costs a hot read while nobody listens: `sluice bench --row` of this tree beside the same of a tree in which nothing is
asked and nothing counted. Run on an idle machine; docs/metrics.md says what is to come out.

  bench/meter.py DIR [--pairs N] [--rows ID,...]

It makes a copy of the committed tree, in whose IoMetrics both questions ("is somebody listening?") are the constant false, which the
compiler removes with all that hangs on them; builds both; and runs them in turns on the disk of DIR, each time beginning with the other
one. A pair gives one quotient of the rates of Sluice for each row. Told are their median and its 95 % interval; 1.00 is no cost, and 0.99
the limit.
"""
import argparse, json, shutil, statistics, subprocess, sys, tempfile
from pathlib import Path

import medians

ROOT = Path(__file__).resolve().parent.parent
METRICS = "src/Sluice/Engines/IoMetrics.cs"
QUESTIONS = ["s_watch is { IsWatched: true }", "s_watch is { IsTimed: true }"]


def without_meter(tree):
    path = tree / METRICS
    text = path.read_text()
    for question in QUESTIONS:
        if text.count(f"=> {question};") != 1:
            sys.exit(f"{METRICS} no longer asks '{question}' in one place: this script has to follow it")
        text = text.replace(f"=> {question};", "=> false;")
    path.write_text(text)


def build(tree):
    subprocess.run(["dotnet", "build", str(tree / "src/Sluice.Cli"), "-c", "Release", "-v", "quiet", "--nologo", "-p:RunAnalyzers=false",
                    "-p:TreatWarningsAsErrors=false"], check=True, stdout=sys.stderr)
    return tree / "src/Sluice.Cli/bin/Release/net10.0/Sluice.Cli.dll"


def rates(tool, folder, row, result):
    subprocess.run(["dotnet", str(tool), "bench", folder, "--row", row, "--json", str(result), "--overwrite"], check=True,
                   stdout=subprocess.DEVNULL)
    return {r["id"]: r["sluice"]["rate"] for r in json.loads(result.read_text())["rows"] if r["id"] == row}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR", help="where the files that are read are made")
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--rows", default="hot-read-4k-async,sync-read-4k")
    options = parser.parse_args()
    if options.pairs < medians.FEWEST:
        parser.error(f"--pairs is at least {medians.FEWEST}")
    scratch = Path(tempfile.mkdtemp(prefix="sluice-meter-"))
    try:
        trees = {name: scratch / name for name in ("with", "without")}
        for tree in trees.values():
            subprocess.run(["git", "clone", "-q", str(ROOT), str(tree)], check=True)
        without_meter(trees["without"])
        tools = {name: build(tree) for name, tree in trees.items()}
        quotients = {row: [] for row in options.rows.split(",")}
        for pair in range(options.pairs):
            for row, found in quotients.items():
                order = ["with", "without"] if pair % 2 == 0 else ["without", "with"]
                measured = {name: rates(tools[name], options.folder, row, scratch / "result.json") for name in order}
                if row not in measured["with"]:
                    sys.exit(f"sluice bench has no row '{row}'")
                found.append(measured["with"][row] / measured["without"][row])
                print(f"pair {pair + 1}, {row}: {found[-1]:.4f}", file=sys.stderr)
        for row, found in quotients.items():
            low, high = medians.interval(found)
            print(f"{row}: with the meter to without it {statistics.median(found):.4f} ({low:.4f}-{high:.4f}), {len(found)} pairs")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


main()
