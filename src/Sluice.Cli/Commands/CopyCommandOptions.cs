using System.CommandLine;
using Sluice.Cli.Programs.Copy;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>The validated arguments of the `copy` command.</summary>
/// <param name="Force">True to replace existing files without confirmation.</param>
/// <param name="Update">True to skip files with the same length and time, and to replace others without confirmation.</param>
/// <param name="Atomic">True to give a new file its name only when it is complete.</param>
/// <param name="DryRun">True to list what would be copied, and to copy nothing.</param>
/// <param name="FilesFrom">A file with the names of further sources, one per line; "-" for stdin.</param>
/// <param name="Shard">The part of the tree that this process copies; null for all of it.</param>
/// <param name="Demo">
/// True to run the program of MSR-TR-2004-136. <see cref="Target"/> is the folder for its files, and there are no sources.
/// </param>
/// <param name="DemoSizeBytes">The size of the file of <see cref="Demo"/>, in bytes.</param>
internal sealed record CopyCommandOptions(
    IReadOnlyList<string> Sources, string Target, CopyMethod Method, int Depth, bool Recursive, bool Preserve, bool Force, bool Update,
    bool Resume, bool Atomic, bool DryRun, ExcludePatterns Excluded, string? FilesFrom, Shard? Shard, long? BytesPerSecond, bool Verify,
    bool Sync, bool Quiet, bool Demo, long DemoSizeBytes)
{
    private const int MaxDepth = 64;

    private static readonly (string Name, CopyMethod Value)[] Methods =
    [
        ("auto", CopyMethod.Auto), ("reflink", CopyMethod.Reflink), ("range", CopyMethod.CopyFileRange), ("direct", CopyMethod.Direct),
        ("buffered", CopyMethod.Buffered),
    ];

    /// <summary>Adds the options of `copy` to the command.</summary>
    /// <returns>
    /// A function that converts a parse result to checked values; it throws a <see cref="UsageException"/> for invalid ones.
    /// </returns>
    public static Func<ParseResult, CopyCommandOptions> Define(OptionList command)
    {
        Argument<string[]> pathsArgument = command.Argument(new Argument<string[]>("PATH")
        {
            Description =
                "SOURCE... TARGET. A target that is a folder takes the sources into it. With --demo: the folder for its files (here).",
            Arity = ArgumentArity.ZeroOrMore,
        });
        Option<bool> recursive = command.Flag("--recursive", "r", "Copy folders with all their contents; links stay links.");
        Option<bool> preserve = command.Flag("--preserve", "p", "Keep modes, owners, times, extended attributes and hard links.");
        Option<bool> archive = command.Flag("--archive", "a", "The same as -r -p.");
        Option<bool> force = command.Flag("--force", "f", "Replace existing files without asking.");
        Option<bool> update = command.Flag("--update", "u",
            "Skip files that exist with the same length and time; replace the others without asking.");
        Option<string[]> exclude = command.Values("--exclude", null, "pattern",
            "Leave out entries with a matching name or, if the pattern has a slash, with a matching path relative to the source; "
                + "* matches any characters, ? matches one; may be repeated (none).");
        Option<string> filesFrom = command.Value("--files-from", null, "file",
            "Also copy the sources listed in this file, one on each line; - is stdin (none).");
        Option<string> shard = command.Value("--shard", null, "I/N",
            "With -r: copy part I of N, I from 0; auto takes both from mpirun, srun or a Slurm array, auto/N the part from Kubernetes (all).");
        Option<bool> dryRun = command.Flag("--dry-run", "n", "List what would be copied, and copy nothing; with -q only what would fail.");
        Option<string> limit = command.Value("--bwlimit", null, "size", "Copy at most this many bytes a second, as in 20M (no limit).");
        Option<string> method = command.Value("--method", null, "name",
            "auto, reflink, range (copy_file_range), direct or buffered (auto).");
        Option<string> depth = command.Value("--depth", null, "N",
            $"Outstanding requests of 1 MiB with --method direct, 1 to {MaxDepth} ({CopyOptions.DefaultDepth}).");
        Option<bool> resume = command.Flag("--resume", null,
            "Continue the partial copy that an earlier run left, after comparing it; keep it if this run fails.");
        Option<bool> atomic = command.Flag("--atomic", null, "Give a new file its name only when it is complete; not in trees.");
        Option<bool> verify = command.Flag("--verify", null, "Read the copy back past the cache and compare it with the source.");
        Option<bool> sync = command.Flag("--sync", null, "End only when the copy is on the disk.");
        Option<bool> quiet = command.Flag("--quiet", "q", "Print nothing but errors.");
        // Users of cp and rsync type these options, which select the default behavior.
        command.Flag("--verbose", "v", "Print a line for each source (the default; -q prints none).");
        command.Flag("--progress", null, "Show progress in a terminal (the default; -q shows none).");
        Option<bool> demoFlag = command.Flag("--demo", null,
            "Make a file, copy it past the cache with four requests outstanding, print the rates, delete both.");
        Option<string> size = command.Value("--size", null, "size", "The size of the demo's file (1G).");
        return Bind;

        CopyCommandOptions Bind(ParseResult result)
        {
            string[] paths = result.GetValue(pathsArgument) ?? [];
            bool demo = result.GetValue(demoFlag);
            if (demo && paths.Length > 1)
                throw new UsageException("--demo makes its own files; at most a folder for them can be named");
            if (!demo && result.GetValue(size) is not null)
                throw new UsageException("--size is the demo's; give --demo too");
            string? names = result.GetValue(filesFrom);
            if (demo && names is not null)
                throw new UsageException("--demo makes its own file; --files-from names others");
            bool resumes = result.GetValue(resume);
            string[] patterns = result.GetValue(exclude) ?? [];
            if (!demo && paths.Length < (names is null ? 2 : 1))
                throw new UsageException("a source and a target are needed; try: sluice copy SOURCE... TARGET, sluice copy --demo");
            if (Array.Exists(paths, p => p.Length == 0))
                throw new UsageException("an empty path names no file");
            bool isRecursive = result.GetValue(recursive) || result.GetValue(archive);
            Shard? part = ShardArgument.Parse(result.GetValue(shard));
            if (part is not null && (!isRecursive || demo || result.GetValue(dryRun)))
                throw new UsageException("--shard is for trees: with -r, and without --demo and --dry-run");
            if (resumes && isRecursive)
                throw new UsageException("--resume is for files: a tree is continued by -u (sluice copy -ru SOURCE/. TARGET)");
            if (result.GetValue(atomic) && isRecursive)
                throw new UsageException("--atomic is for files: a tree is copied in place");
            CopyMethod way = OptionText.Choice("--method", result.GetValue(method), Methods) ?? CopyMethod.Auto;
            if (result.GetValue(depth) is not null && way != CopyMethod.Direct && !(demo && way == CopyMethod.Auto))
                throw new UsageException($"--depth is for direct copies, and --method {NameOf(way)} makes none; give --method direct");
            return new CopyCommandOptions(demo ? [] : paths[..^1], paths.Length == 0 ? Environment.CurrentDirectory : paths[^1],
                Method: way,
                Depth: OptionText.Whole("--depth", result.GetValue(depth), 1, MaxDepth, CopyOptions.DefaultDepth),
                Recursive: isRecursive,
                Shard: part,
                Preserve: result.GetValue(preserve) || result.GetValue(archive),
                Force: result.GetValue(force),
                Update: result.GetValue(update),
                Excluded: new ExcludePatterns(patterns),
                FilesFrom: names,
                DryRun: result.GetValue(dryRun),
                BytesPerSecond: OptionText.Size("--bwlimit", result.GetValue(limit)),
                Resume: resumes,
                Atomic: result.GetValue(atomic),
                Verify: result.GetValue(verify),
                Sync: result.GetValue(sync),
                Quiet: result.GetValue(quiet),
                Demo: demo,
                DemoSizeBytes: OptionText.Size("--size", result.GetValue(size)) ?? ByteSize.GiB);
        }
    }

    /// <summary>Returns the name of the method in the option --method.</summary>
    public static string NameOf(CopyMethod method) => Array.Find(Methods, m => m.Value == method).Name;
}
