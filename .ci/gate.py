#!/usr/bin/env python3
"""Builds, tests and tries out a clean clone, and ends with one line: N passed, N failed, N skipped.

.ci/run starts it; with the argument "nightly" the randomized tests run for hours, and labs and mutants run too. A step that is no test run
(build, format, packages, samples) counts as one test. The exit code is 0 only if nothing failed.

A test that fails is run again, alone, after everything else. If it passes then, it is reported as FLAKY, counts as passed, and its name is
written to TestResults/flaky.txt; more than three flaky tests fail the run.
"""
import collections
import os
import pathlib
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAX_FLAKY = 3
# Seconds. A job that takes longer hangs.
JOB_LIMIT = 1200
# How much the tests with random steps, faults, kills and power cuts do in a nightly run.
NIGHTLY = {
    "SLUICE_MODEL_STEPS": "1000000",
    "SLUICE_STREAM_MODEL_STEPS": "1000000",
    "SLUICE_POWER_CUTS": "100",
    "SLUICE_KILLS": "200",
    "SLUICE_FAULT_RUNS": "20",
    "SLUICE_LOG_FLIPS": "all",
    "SLUICE_HOSTILE_MINUTES": "60",
    "SLUICE_SOAK_MINUTES": "60",
}
TRX = "{http://microsoft.com/schemas/VisualStudio/TeamTest/2010}"


class Totals:
    """What all jobs together found. Jobs run on several threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.passed = self.failed = self.skipped = 0
        self.problems = []
        self.reasons = collections.Counter()
        self.seconds = {}
        self.retries = []

    def check(self, name, ok, text=""):
        with self.lock:
            if ok:
                self.passed += 1
            else:
                self.failed += 1
                self.problems.append(f"FAILED: {name}\n{tail(text, 30)}")


def tail(text, count):
    return "\n".join("    " + line for line in text.splitlines()[-count:])


def execute(command, environment=None, limit=None):
    """Runs a command with its descendants in a process group of their own.

    Returns its exit code (None: it hung), what it printed, and the processor seconds of it and of the descendants it has waited for.
    """
    limit = limit or JOB_LIMIT
    with tempfile.TemporaryFile(mode="w+", errors="replace") as out:
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                   env={**os.environ, **(environment or {})}, start_new_session=True)
        end, hangs = time.monotonic() + limit, False
        while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
            if not hangs and time.monotonic() > end:
                hangs = True
                os.killpg(process.pid, signal.SIGKILL)
            time.sleep(0.05)
        process.returncode = os.waitstatus_to_exitcode(ended[1])
        out.seek(0)
        return None if hangs else process.returncode, out.read(), ended[2].ru_utime + ended[2].ru_stime


class Gate:
    def __init__(self, scratch):
        self.totals = Totals()
        self.scratch = pathlib.Path(scratch)
        self.printing = threading.Lock()

    def report(self, name, text, began, processor):
        seconds = time.monotonic() - began
        with self.printing:
            print(f"\n== {name} ({seconds:.0f} s, {processor:.0f} s of a processor)\n{text.rstrip()}", flush=True)
        self.totals.seconds[name] = seconds, processor

    def check(self, name, command, environment=None):
        """One command that has to succeed."""
        began = time.monotonic()
        code, text, processor = execute(command, environment=environment)
        self.totals.check(name, code == 0, text if code is not None else f"{text}\nstill running after {JOB_LIMIT} s")
        self.report(f"{name}: {'ok' if code == 0 else 'FAILED'}", tail(text, 40), began, processor)
        return code == 0

    def test(self, name, arguments, environment=None, settings=(), projects=1):
        """One run of `dotnet test` over a number of projects. Failed tests are kept for the end, when they are run again."""
        began = time.monotonic()
        results = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        code, text, processor = execute([
            "nice", "dotnet", "test", *arguments, "--logger", "trx;LogFilePrefix=results", "--results-directory", str(results), *settings],
            environment=environment)
        passed, failed, skipped, found = self.read(results)
        with self.totals.lock:
            self.totals.passed += passed
            self.totals.skipped += skipped
        release = ["-c", "Release"] if "Release" in arguments else []
        for project, test, said in failed:
            again = ["dotnet", "test", f"tests/{project}", "--no-build", *release, "-p:Tier=all", "--filter", f"FullyQualifiedName={test}", *settings]
            self.totals.retries.append((name, test, said, again, environment))
        # A failed test explains the exit code 1, but not a crash, a project that does not build or a cleanup that fails beside it.
        broken = re.search(r"\berror [A-Z]+\d+:|test run (was )?aborted|cleanup failure|exited with error", text, re.IGNORECASE)
        lost = code not in (0, 1) or broken or (code == 1 and not failed) or found != projects
        if lost:
            why = f"still running after {JOB_LIMIT} s" if code is None else \
                f"ended with {code}; {passed} tests of {found} projects passed or failed, of {projects} projects expected"
            self.totals.check(f"{name} {why}", False, text)
        # xunit names a test that runs for two minutes, and again every two minutes.
        hidden = r"\s*(\[.*\] )?.*\[SKIP\]|\s+Skipped |.*xUnit\.net.*Discover" + ("" if code is None else r"|.*Long Running")
        shown = [l for l in text.splitlines() if not re.match(hidden, l)]
        summary = f"    {passed} passed, {len(failed)} failed, {skipped} skipped"
        self.report(name, tail("\n".join(shown), 200 if failed or lost else 12) + "\n" + summary, began, processor)

    def lab(self, name, command):
        """A script that ends with a line of counts."""
        began = time.monotonic()
        code, text, processor = execute(command)
        counts = re.search(r"^(\d+) passed, (\d+) failed, (\d+) skipped\s*\Z", text, re.MULTILINE)
        passed, failed, skipped = map(int, counts.groups()) if counts else (0, 1, 0)
        with self.totals.lock:
            self.totals.passed += passed
            self.totals.skipped += skipped
        if failed or code != 0:
            self.totals.check(name, False, text)
        self.report(name, tail(text, 40), began, processor)

    def read(self, results):
        """Counts of the result files in a folder, the failed tests with their projects, and how many projects had results."""
        passed, failed, skipped, projects = 0, {}, 0, set()
        for path in results.rglob("*.trx"):
            tree = xml.etree.ElementTree.parse(path)
            methods = {}
            for unit in tree.iter(TRX + "UnitTest"):
                method = unit.find(TRX + "TestMethod")
                project = pathlib.Path(method.get("codeBase")).name.removesuffix(".dll")
                methods[unit.get("id")] = f"{method.get('className')}.{method.get('name').split('(')[0].rpartition('.')[2]}", project
            for result in tree.iter(TRX + "UnitTestResult"):
                outcome = result.get("outcome")
                said = "\n".join(e.text or "" for part in ("Message", "StackTrace") for e in result.iter(TRX + part))
                test, project = methods[result.get("testId")]
                projects.add(project)
                if outcome == "Passed":
                    passed += 1
                elif outcome == "NotExecuted":
                    skipped += 1
                    with self.totals.lock:
                        self.totals.reasons[said.split("\n")[0].strip() or "no reason was given"] += 1
                else:
                    failed[project, test] = project, test, f"{result.get('testName')}\n{said}"
        return passed, list(failed.values()), skipped, len(projects)

    def retry(self):
        """Runs each failed test again, alone."""
        flaky = []
        for number, (name, test, said, again, environment) in enumerate(self.totals.retries):
            # Many failed tests are no accident.
            if number < 4 * MAX_FLAKY:
                code, text, _ = execute(again, environment=environment)
                if code == 0 and re.search(r"Passed: +[1-9][0-9]*, Skipped: +0,", text):
                    flaky.append(test)
                    self.totals.check(test, True)
                    with self.printing:
                        print(f"\n== FLAKY {test} (in {name}) failed, and passed when it was run again:\n{tail(said, 40)}", flush=True)
                    continue
            self.totals.check(f"{test} (in {name})", False, said)
        if flaky:
            folder = ROOT / "TestResults"
            folder.mkdir(exist_ok=True)
            (folder / "flaky.txt").write_text("".join(f"{test}\n" for test in flaky))
        return flaky

    def run(self, jobs, workers):
        """Runs jobs, (key, function) in the order of their beginning.

        A job does not begin before those that stand above it with the same key, or with the key that its own begins with ("build/x" waits
        for "build"), have ended.
        """
        ended, rest, condition = [False] * len(jobs), list(range(len(jobs))), threading.Condition()

        def may_begin(job):
            key = jobs[job][0]
            return all(ended[i] for i in range(job) if jobs[i][0] in (key, key.partition("/")[0]))

        def work():
            while True:
                with condition:
                    while rest and not any(map(may_begin, rest)):
                        condition.wait()
                    if not rest:
                        return
                    job = rest.pop(next(i for i, job in enumerate(rest) if may_begin(job)))
                key, action = jobs[job]
                try:
                    action()
                except Exception as error:
                    self.totals.check(f"a job of {key}", False, repr(error))
                with condition:
                    ended[job] = True
                    condition.notify_all()

        threads = [threading.Thread(target=work) for _ in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def finish(self):
        flaky = self.retry()
        totals = self.totals
        if len(flaky) > MAX_FLAKY:
            totals.check(f"{len(flaky)} tests were flaky, more than {MAX_FLAKY}", False)
        print("\n== why tests were skipped")
        for reason, count in totals.reasons.most_common():
            print(f"{count}: {reason}")
        print("\n== seconds, and seconds of a processor")
        for name, (seconds, processor) in sorted(totals.seconds.items(), key=lambda pair: -pair[1][0]):
            print(f"{seconds:.0f}, {processor:.0f}: {name}")
        if totals.problems:
            print("\n== what failed")
            print("\n".join(totals.problems))
        for test in flaky:
            print(f"FLAKY {test}")
        print(f"\n{totals.passed} passed, {totals.failed} failed, {totals.skipped} skipped", flush=True)
        return totals.failed == 0


def nightly(gate, parts):
    """Everything that takes hours, or some parts of it. The outcome is appended to TestResults/nightly.txt, with date, commit and machine."""
    global JOB_LIMIT
    JOB_LIMIT = 12 * 3600
    counts = {name: os.environ.get(name, value) for name, value in NIGHTLY.items()}

    def tests():
        if not gate.check("build", ["dotnet", "build", "-v", "quiet"]):
            return

        def job(project, tier, engine):
            return project, lambda: gate.test(f"Sluice.{project}, tier {tier}, {engine}", [
                f"tests/Sluice.{project}", "--no-build", f"-p:Tier={tier}"], {**counts, "SLUICE_ENGINE": engine})

        gate.run([job(project, tier, engine)
                  for engine in ("uring", "pool") for project in ("Tests", "Faults.Tests", "Log.Tests", "Hostile.Tests")
                  for tier in ("fast", "slow", "nightly") if (project, tier) != ("Hostile.Tests", "nightly")], workers=2)

    def builds():
        gate.check("everything in Release, with the analyzers", ["dotnet", "build", "-c", "Release", "-warnaserror", "-v", "quiet"])
        gate.check("the tool as a native program", [".ci/native.sh", str(gate.scratch / "native"), "tool"])
        gate.check("packages, twice", ["eng/try-packages.sh", str(gate.scratch / "packages")], {"SLUICE_SAME_BYTES": "1"})

    def labs():
        gate.lab("GlusterFS", ["tests/labs/gluster.sh", "--long"])
        gate.lab("Slurm", ["tests/labs/slurm.sh"])
        gate.lab("arm64, emulated", ["tests/labs/arm64.sh"])
        gate.lab("kernels, emulated", ["tests/labs/kernels.sh"])
        gate.lab("musl", ["tests/labs/musl.sh"])
        gate.lab("cuts of the power, emulated", ["tests/labs/powercut.sh", "300"])
        gate.lab("Windows, under Wine", ["tests/labs/windows.sh"])

    def mutants():
        gate.check("mutants", ["tests/mutation/run.py", "--tree", str(gate.scratch / "mutants"), "--out", "TestResults/mutants.txt"])

    steps = {"tests": tests, "builds": builds, "labs": labs, "mutants": mutants}
    parts = parts or list(steps)
    if unknown := [part for part in parts if part not in steps]:
        print(f"{unknown[0]}: no part of a nightly run; {', '.join(steps)} are")
        return False
    (ROOT / "TestResults").mkdir(exist_ok=True)
    for part in parts:
        steps[part]()
    ok = gate.finish()
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    machine = f"{model.group(1) if model else platform.machine()}, {os.cpu_count()} processors, {platform.system()} {platform.release()}"
    changed = [f"{name}={value}" for name, value in counts.items() if value != NIGHTLY[name]]
    lines = [f"{time.strftime('%Y-%m-%d')}, {commit}, {machine}: {', '.join(parts)}{' with ' if changed else ''}{', '.join(changed)}",
             f"{gate.totals.passed} passed, {gate.totals.failed} failed, {gate.totals.skipped} skipped", *gate.totals.problems]
    with open(ROOT / "TestResults" / "nightly.txt", "a") as outcome:
        outcome.write("\n".join(lines) + "\n")
    return ok


def main():
    # A shell's background job ignores SIGINT, and so would every program that the tests start and interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    scratch = tempfile.mkdtemp(prefix="sluice-ci-")
    gate = Gate(scratch)
    try:
        return 0 if (nightly(gate, sys.argv[2:]) if sys.argv[1:2] == ["nightly"] else steps(gate)) else 1
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def on_net11(gate):
    folder = gate.scratch / "net11"
    if gate.check("a folder with .NET 11", [".ci/net11.sh", str(folder)]):
        # On the pool: what differs by runtime and what differs by engine are tested in one run.
        gate.test("Sluice.Tests, tier fast, on .NET 11, pool", ["tests/Sluice.Tests", "--no-build", "--filter", "Runs!=once"],
                  {"DOTNET_ROLL_FORWARD": "LatestMajor", "SLUICE_ENGINE": "pool"},
                  settings=("--", f"RunConfiguration.DotNetHostPath={folder}/dotnet"))


def steps(gate):
    pool, rings = {"SLUICE_ENGINE": "pool"}, {"SLUICE_ENGINE": "uring"}
    if not gate.check("restore", ["dotnet", "restore", "-v", "quiet"]):
        return gate.finish()
    if not gate.check("build", ["dotnet", "build", "--no-restore", "-v", "quiet"]):
        return gate.finish()
    gate.check("compile ahead what tests start", [".ci/compile-ahead.sh", "tests/Sluice.Cli.Tests/bin/Debug/net10.0"])

    def tests(project, tier, environment, *more):
        engine = environment["SLUICE_ENGINE"]
        return f"fast/{project}", lambda: gate.test(f"{project}, tier {tier}, {engine}", [
            f"tests/{project}", "--no-build", f"-p:Tier={tier}", *more], environment)

    def check(key, name, *command, environment=None):
        return key, lambda: gate.check(name, list(command), environment)

    not_once = ("--filter", "Runs!=once")
    projects = len(list((ROOT / "tests").glob("*.Tests")))
    # The longest first. Tests yield the processors to builds.
    gate.run([
        check("packages", "packages, used from new projects", "eng/try-packages.sh", str(gate.scratch / "packages")),
        # Four projects at once: most of their tests wait.
        ("fast", lambda: gate.test("dotnet test (tier fast)", ["--no-build", "-m:4"], projects=projects)),
        # One test at a time, and most of them wait: for mounts, for processes, for disks.
        ("Faults", tests("Sluice.Faults.Tests", "slow", rings)[1]),
        check("native", "native program", ".ci/native.sh", str(gate.scratch / "native")),
        check("format", "format", "dotnet", "format", "whitespace", ".", "--folder", "--verify-no-changes"),
        tests("Sluice.Log.Tests", "slow", rings),
        tests("Sluice.Cli.Tests", "slow", rings),
        ("fast/Sluice.Tests", lambda: on_net11(gate)),
        tests("Sluice.Hostile.Tests", "slow", rings),
        # Release code allocates less than Debug code: allocations are tested in Release alone.
        tests("Sluice.Tests", "slow", rings, "--filter", "FullyQualifiedName!~ZeroAllocation"),
        ("allocations", lambda: gate.test("allocations, Release", [
            "tests/Sluice.Tests", "-c", "Release", "--no-restore", "-p:RunAnalyzers=false", "-p:Tier=all",
            "--filter", "FullyQualifiedName~ZeroAllocation"],
            {**rings, "DOTNET_TieredPGO": "1"})),
        # Not Sluice.Log.Tests: the log makes synchronous calls only, which are the same on both engines.
        tests("Sluice.Hostile.Tests", "fast", pool, *not_once),
        tests("Sluice.Clients.Tests", "slow", rings),
        tests("Sluice.Faults.Tests", "fast", pool, *not_once),
        check("samples", "samples", ".ci/samples.sh", str(gate.scratch)),
    ], workers=4)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main())
