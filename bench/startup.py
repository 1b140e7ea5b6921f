#!/usr/bin/env python3
"""How long the tool takes to begin: `sluice --version`, and `sluice copy` of one file of 100 bytes, beside `cp` of the same file and
`true`, which is what starting any program costs. Run it on an idle machine; it prints a table in Markdown.

  bench/startup.py [--tool PATH] [--rounds N]

Without --tool it packs the tool compiled ahead for this processor and as intermediate code (-p:CompileAhead), installs both into a folder
of its own below the folder for temporary files, and measures both. A round starts each program once, in an order that is turned from
round to round; warm-up rounds are not counted. Told are the median and the 95 % interval of it, in milliseconds, and the median of the
quotients to `cp` of the same round.
"""
import argparse, datetime, os, platform, shutil, statistics, subprocess, sys, tempfile, time
from pathlib import Path

import medians

ROOT = Path(__file__).resolve().parent.parent
WARM_UP = 3


def run(*command, **more):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, **more)


def version():
    text = (ROOT / "Directory.Build.props").read_text()
    return text.split("<Version>")[1].split("<")[0]


def install(scratch, name, *properties):
    """The tool as `dotnet tool install` puts it there."""
    packages, built, tool = scratch / name / "packages", scratch / name / "built", scratch / name / "tool"
    run("dotnet", "pack", str(ROOT / "src/Sluice.Cli"), "-c", "Release", "-o", str(packages), "--artifacts-path", str(built), "-v", "quiet",
        "--nologo", "-p:RunAnalyzers=false", *properties)
    config = scratch / name / "nuget.config"
    config.write_text(f'<configuration><packageSources><clear /><add key="local" value="{packages}" /></packageSources></configuration>')
    run("dotnet", "tool", "install", "Sluice.Cli", "--version", version(), "--tool-path", str(tool), "--configfile", str(config),
        env={**os.environ, "NUGET_PACKAGES": str(scratch / name / "cache")})
    return tool / "sluice"


def tools(options, scratch):
    if options.tool:
        return {"": Path(options.tool).resolve()}
    found = {", compiled when it runs": install(scratch, "any")}
    try:
        found[", compiled ahead"] = install(scratch, "ahead", "-p:CompileAhead=true")
    except subprocess.CalledProcessError:
        print("not measured: the tool compiled ahead, which could not be packed here", file=sys.stderr)
    return found


def measure(programs, rounds):
    times = {name: [] for name in programs}
    names = list(programs)
    for number in range(-WARM_UP, rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            began = time.perf_counter()
            programs[name]()
            took = 1000 * (time.perf_counter() - began)
            if number >= 0:
                times[name].append(took)
    return times


def table(times, rounds):
    commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    model = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), platform.machine())
    lines = [
        f"Measured {datetime.date.today()} on {model}, {os.cpu_count()} processors, kernel {platform.release()}, commit {commit}, "
        f"{rounds} rounds, load {os.getloadavg()[0]:.1f} at the end, by `bench/startup.py`.",
        "", "| program | ms (95 %) | times `cp` |", "|---|---:|---:|",
    ]
    for name, values in times.items():
        low, high = medians.interval(values)
        quotient = statistics.median(v / c for v, c in zip(values, times["`cp`"]))
        lines.append(f"| {name} | {statistics.median(values):.1f} ({low:.1f}-{high:.1f}) | {quotient:.1f} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", help="a sluice that is there, in place of those that are packed")
    parser.add_argument("--rounds", type=int, default=41)
    options = parser.parse_args()
    if options.rounds < medians.FEWEST:
        parser.error(f"--rounds is at least {medians.FEWEST}")
    scratch = Path(tempfile.mkdtemp(prefix="sluice-startup-"))
    try:
        source, target = scratch / "source", scratch / "target"
        source.write_bytes(bytes(100))

        def copy(*command):
            def once():
                target.unlink(missing_ok=True)
                run(*command, str(source), str(target))
            return once

        programs = {"`true`": lambda: run("true"), "`cp`": copy("cp")}
        for how, tool in tools(options, scratch).items():
            programs[f"`sluice --version`{how}"] = lambda tool=tool: run(str(tool), "--version")
            programs[f"`sluice copy`{how}"] = copy(str(tool), "copy")
        made = table(measure(programs, options.rounds), options.rounds)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(made)


main()
