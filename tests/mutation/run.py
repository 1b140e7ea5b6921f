#!/usr/bin/env python3
"""Puts each of the mutants in mutants.txt into a copy of the tree, builds it, and asks the tests. See docs/testing.md.

  tests/mutation/run.py                      all of them, in a folder of its own below the system's folder for temporary files
  tests/mutation/run.py --only S1,S2 --room Streams
  tests/mutation/run.py --quick              only the tests that are named with the mutant, not those of its room
  tests/mutation/run.py --check              no build: does each mutant still fit the sources?
"""
import argparse, os, re, shutil, signal, subprocess, sys, tempfile, time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROJECTS = {
    "L": "Sluice.Tests", "U": "Sluice.Uring.Tests", "F": "Sluice.Faults.Tests", "G": "Sluice.Log.Tests", "H": "Sluice.Hostile.Tests",
    "S": "Sluice.Logging.Tests",
}
LIBRARIES = {"": "Sluice", "serilog": "Sluice.Serilog", "logging": "Sluice.Extensions.Logging"}
ROOMS = {
    "Kernel": "F:SystemCallFaultTests L:Files L:Conformance.OwnEngine L:Conformance.PoolEngine",
    "Errors": "L:DifferentialTests L:Files L:Conformance.OwnEngine L:StreamFailureTests",
    "Memory": "L:Buffers L:Engines L:Conformance.OwnEngine L:Sequential",
    "Enumeration": "L:EnumerationTests L:Files F:SystemCallFaultTests",
    "Handles": "L:Conformance.OwnEngine L:Conformance.Faulty L:HandleModelTests L:ZeroAllocationTests F:FaultStorm F:SystemCallFaultTests",
    "Engines": "L:Engines L:Conformance.OwnEngine L:Conformance.Faulty L:UringEngineTests L:SegmentCursorTests F:FaultStorm F:SystemCallFaultTests",
    "Streams": "L:Streams.Stream F:SystemCallFaultTests",
    "Sequential": "L:Sequential F:Sequential F:SystemCallFaultTests",
    "Copying": "L:Files F:Copy F:Replace F:OtherUser H:NeighbourTests F:SystemCallFaultTests",
    "Files": "L:Files F:SystemCallFaultTests",
    "Log": "G:Sluice",
    "Uring": "U:Sluice F:RefusalTests F:EngineTests F:SystemCallFaultTests",
    "Serilog": "S:Sluice",
    "Logging": "S:Sluice",
}


class Mutant:
    def __init__(self, ident, path, what):
        self.ident, self.path, self.what = ident, path, what
        self.above, self.old, self.new, self.tests = None, [], [], ""
        prefix, _, self.place = path.rpartition(":")
        self.library = LIBRARIES[prefix]
        self.room = prefix.capitalize() or path.split("/")[0]

    def file(self, root):
        return root / "src" / self.library / self.place

    def apply(self, root):
        """The changed text, or None where the lines are not there."""
        lines = self.file(root).read_text().split("\n")
        plain = [line.strip() for line in lines]
        begin = 0
        if self.above is not None:
            if self.above not in plain:
                return None
            begin = plain.index(self.above) + 1
        for at in range(begin, len(lines) - len(self.old) + 1):
            if plain[at:at + len(self.old)] == self.old:
                indent = lines[at][:len(lines[at]) - len(lines[at].lstrip())]
                return "\n".join(lines[:at] + [indent + line for line in self.new] + lines[at + len(self.old):])
        return None


def read_mutants():
    mutants = []
    for line in (HERE / "mutants.txt").read_text().split("\n"):
        if match := re.match(r"\[(\w+)\] (\S+): (.*)", line):
            mutants.append(Mutant(*match.groups()))
        elif line.startswith("< "):
            mutants[-1].above = line[2:].strip()
        elif line.startswith("- "):
            mutants[-1].old.append(line[2:].strip())
        elif line.startswith("+"):
            if line[1:].strip():
                mutants[-1].new.append(line[1:].strip())
        elif line.startswith("? "):
            mutants[-1].tests = line[2:].strip()
    return mutants


def run(command, folder, seconds):
    """Exit status and output; the status is None after a timeout. The command and what it started end with it."""
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True, errors="replace")
    try:
        output, _ = process.communicate(timeout=seconds)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None, ""


def build(root, project):
    """Builds a project and what it needs; what is wrong, or None."""
    status, output = run(
        ["dotnet", "build", project, "-c", "Release", "-v", "quiet", "--nologo",
         "-p:RunAnalyzers=false", "-p:TreatWarningsAsErrors=false", "-p:EnforceCodeStyleInBuild=false"], root, 600)
    return None if status == 0 else (re.findall(r"error \w+: [^\[]*", output)[:1] or ["the build failed"])[0]


def build_mutant(root, library):
    """The library alone: a mutant changes what methods do and not what they are, so that tests need not be built again."""
    project = f"src/{library}"
    if problem := build(root, project):
        return problem
    for name in {"Sluice.dll", f"{library}.dll"}:
        made = root / project / "bin/Release/net10.0" / name
        for copy in root.glob(f"tests/*/bin/Release/net10.0/{name}"):
            shutil.copyfile(made, copy)
    return None


def filter_of(name):
    name, _, row = name.partition("@")
    return f"(FullyQualifiedName~{name}&DisplayName~{row.replace('_', ' ')})" if row else f"FullyQualifiedName~{name}"


def ask(root, tests, seconds):
    """What a failing test says; None where all pass."""
    by_project = {}
    for test in tests.split():
        by_project.setdefault(test[0], []).append(test[2:])
    for letter, names in by_project.items():
        project = PROJECTS[letter]
        wanted = "|".join(filter_of(name) for name in names)
        status, output = run(
            ["dotnet", "test", f"tests/{project}/bin/Release/net10.0/{project}.dll", "--nologo", "--filter", wanted,
             "--", "xUnit.StopOnFail=true"], root, seconds)
        if status is None:
            return f"{project}: no end within {seconds} s"
        if status != 0:
            failed = re.findall(r"^\s*Failed ([\w.]+)", output, re.M)
            if not failed and "No test matches" in output:
                return None
            return f"{failed[0].split('.')[-2]}.{failed[0].split('.')[-1]} and {len(set(failed)) - 1} more" if failed else "the test host crashed"
    return None


def copy_tree(target):
    """Makes the copy what the tree is; what was built there stays."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = {name for name in listed.split("\n") if name and (ROOT / name).is_file()}
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        if not (target / name).exists() or (target / name).read_bytes() != (ROOT / name).read_bytes():
            shutil.copyfile(ROOT / name, target / name)
    for path in target.rglob("*.cs"):
        name = path.relative_to(target)
        if str(name) not in names and not {"bin", "obj"} & set(name.parts):
            path.unlink()
    subprocess.run(["git", "init", "-q"], cwd=target, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="these, by a comma each")
    parser.add_argument("--room", help="those of one room")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--tree", help="keep the copy here, and use it again")
    parser.add_argument("--out", help="append each outcome to this file; a run that was stopped goes on from there")
    parser.add_argument("--again", action="store_true", help="also those that --out has already")
    parser.add_argument("--skip", help="another file of outcomes: not those that it has")
    parser.add_argument("--seconds", type=int, default=240, help="longest run of one set of tests")
    args = parser.parse_args()
    mutants = [m for m in read_mutants()
               if (not args.only or m.ident in args.only.split(",")) and (not args.room or m.room == args.room)]
    if args.only:
        mutants.sort(key=lambda m: args.only.split(",").index(m.ident))
    for log in [log for log in (args.skip, args.out) if log and Path(log).exists() and not args.again]:
        done = {line.split()[1] for line in Path(log).read_text().split("\n") if line.startswith(("killed", "survived"))}
        mutants = [m for m in mutants if m.ident not in done]
    lost = [m for m in mutants if m.apply(ROOT) is None]
    for mutant in lost:
        print(f"{mutant.ident}: its lines are not in {mutant.path} any more")
    if args.check:
        print(f"{len(mutants)} mutants, {len(lost)} of them do not fit")
        return 1 if lost else 0
    tree = Path(args.tree) if args.tree else Path(tempfile.mkdtemp(prefix="sluice-mutation-"))
    tree.mkdir(parents=True, exist_ok=True)
    copy_tree(tree)
    wanted = {t[0] for m in mutants for t in f"{m.tests} {'' if args.quick else ROOMS[m.room]}".split()}
    for project in (f"tests/{PROJECTS[letter]}" for letter in sorted(wanted)):
        if problem := build(tree, project):
            print(f"{project} itself does not build: {problem}")
            return 2
    outcomes = {"killed": 0, "survived": 0, "invalid": 0}
    for mutant in mutants:
        text = mutant.apply(tree)
        if text is None:
            outcome, why = "invalid", "its lines are not there"
        else:
            began = time.time()
            path = mutant.file(tree)
            original = path.read_text()
            path.write_text(text)
            try:
                problem = build_mutant(tree, mutant.library)
                if problem:
                    outcome, why = "invalid", problem
                else:
                    why = ask(tree, mutant.tests, args.seconds)
                    if why is None and not args.quick:
                        why = ask(tree, ROOMS[mutant.room], args.seconds * 2)
                        why = why and f"(room) {why}"
                    outcome = "survived" if why is None else "killed"
            finally:
                path.write_text(original)
            why = f"{why or ''} [{time.time() - began:.0f} s]"
        outcomes[outcome] += 1
        line = f"{outcome:8} {mutant.ident:4} {mutant.path}: {mutant.what} -- {why}"
        print(line, flush=True)
        if args.out:
            with open(args.out, "a") as out:
                out.write(line + "\n")
    print(", ".join(f"{count} {name}" for name, count in outcomes.items()))
    if not args.tree:
        shutil.rmtree(tree, ignore_errors=True)
    return 0 if outcomes["survived"] == outcomes["invalid"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
