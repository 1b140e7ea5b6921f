#!/usr/bin/env python3
"""What the meter costs a hot read while nobody listens: `sluice speed` of this tree beside the same of a tree in which nothing is asked and
nothing counted. Run on an idle machine; at most 1 % is what it may cost.

  bench/meter.py DIR [--pairs N]

It makes a copy of the committed tree, in whose IoMetrics both questions ("is somebody listening?") are the constant false, which the
compiler removes with all that hangs on them; builds both; and runs them in turns on a file in DIR, each time beginning with the other one.
A run is 2 s of reads of 4 KiB from the page cache, by calls and by asynchronous ones, one at a time; what others on the machine take away is
kept out by its best tenth of a second. A pair gives one quotient of these. Told are their median and its 95 % interval; 1.00 is no cost, and
0.99 the limit.
"""
import argparse, json, shutil, statistics, subprocess, sys, tempfile
from pathlib import Path

import medians

ROOT = Path(__file__).resolve().parent.parent
METRICS = "src/Sluice/Engines/IoMetrics.cs"
WAYS = {"calls": [], "asynchronous reads": ["-a1"]}
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


def best(tool, file, way):
    run = subprocess.run(["dotnet", str(tool), "speed", "-t2", "-b4K", "-s100", "-r64M", "--cache", "hot", "--json", "-", *way, str(file)],
                         check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return max(json.loads(run.stdout)["sides"][0]["windowMiBPerSecond"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR", help="where the files that are read are made")
    parser.add_argument("--pairs", type=int, default=15)
    options = parser.parse_args()
    if options.pairs < medians.FEWEST:
        parser.error(f"--pairs is at least {medians.FEWEST}")
    file = None
    scratch = Path(tempfile.mkdtemp(prefix="sluice-meter-"))
    try:
        trees = {name: scratch / name for name in ("with", "without")}
        for tree in trees.values():
            subprocess.run(["git", "clone", "-q", str(ROOT), str(tree)], check=True)
        without_meter(trees["without"])
        tools = {name: build(tree) for name, tree in trees.items()}
        file = Path(options.folder) / f"{scratch.name}.dat"
        quotients = {name: [] for name in WAYS}
        for pair in range(options.pairs):
            for name, found in quotients.items():
                order = ["with", "without"] if pair % 2 == 0 else ["without", "with"]
                rates = {side: best(tools[side], file, WAYS[name]) for side in order}
                found.append(rates["with"] / rates["without"])
                print(f"pair {pair + 1}, {name}: {found[-1]:.4f}", file=sys.stderr)
        for name, found in quotients.items():
            low, high = medians.interval(found)
            print(f"{name}: with the meter to without it {statistics.median(found):.4f} ({low:.4f}-{high:.4f}), {len(found)} pairs")
    finally:
        if file is not None:
            file.unlink(missing_ok=True)
        shutil.rmtree(scratch, ignore_errors=True)


main()
