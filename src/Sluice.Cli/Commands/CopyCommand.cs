using System.Diagnostics;
using Sluice.Cli.Load;
using Sluice.Cli.Programs;
using Sluice.Cli.Programs.Copy;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice copy`: copies each source, and prints the method and the rate.</summary>
internal sealed class CopyCommand(CopyCommandOptions options, CommandContext context)
{
    private readonly TerminalStreams _terminal = context.Terminal;
    private readonly CancellationToken _cancellationToken = context.CancellationToken;

    private readonly List<CopyRecord> _records = [];

    // The number of sources of which nothing was copied. Failures in trees are in the records.
    private int _failed;

    private bool _isInterrupted;

    // True after an error that all further sources would have too, such as a full disk.
    private bool _isDiskOver;
    private int _notBegun;
    private string[] _sources = [];

    public async Task<int> RunAsync()
    {
        if (options.DryRun && (options.Demo || context.Output.Named.Count > 0))
            throw new UsageException("--dry-run copies nothing: there is no result to write, and no demo");
        if (options.Demo)
        {
            context.Output.Check(_terminal);
            return await DemoAsync();
        }
        CopyPair[] copies = Copies();
        RequireOtherResults(copies);
        context.Output.Check(_terminal);
        return await RunAsync(copies);
    }

    private async Task<int> RunAsync(CopyPair[] copies)
    {
        _sources = Array.ConvertAll(copies, c => c.Source);
        DateTimeOffset began = DateTimeOffset.UtcNow;
        int exitCode = await CopyAllAsync(copies);
        if (!options.DryRun && (_records.Count > 0 || _isInterrupted || _notBegun > 0))
            WriteTotals(began);
        if (!_isInterrupted)
            return exitCode;
        _terminal.WriteError("interrupted");
        return ExitCode.Interrupted;
    }

    /// <summary>Prints the total of several copies, and writes the result files.</summary>
    private void WriteTotals(DateTimeOffset began)
    {
        CopyReport report = Report(began);
        if (_records.Count + _failed + _notBegun > 1 && !options.Quiet)
            _terminal.WriteLine(CopyText.Total(report));
        // The machine is examined only for a result file, because this takes longer than a small copy.
        if (context.Output.Named.Count == 0)
            return;
        report = report with { Environment = EnvironmentProbe.ForPath(options.Target) };
        context.Output.Write(
            _terminal, CopyPage.Of(report), json: writer => JsonFile.Write(writer, report, CopyJsonContext.Default.CopyReport));
    }

    private CopyReport Report(DateTimeOffset began)
    {
        double seconds = _records.Sum(r => r.Seconds);
        long bytes = _records.Sum(r => r.Bytes);
        return new CopyReport(
            Started: began,
            Arguments: context.Arguments,
            Environment: null,
            Sources: _sources,
            Target: options.Target,
            Bytes: bytes,
            Files: _records.Sum(r => r.Files),
            UnchangedFiles: _records.Sum(r => r.UnchangedFiles),
            Failed: _failed + _records.Sum(r => r.Failures.Count),
            Interrupted: _isInterrupted,
            Seconds: seconds,
            CpuSeconds: _records.Sum(r => r.CpuSeconds),
            MiBPerSecond: CopyReport.Rate(bytes, seconds),
            Copies: _records)
        {
            ShardIndex = options.Shard?.Index,
            ShardCount = options.Shard?.Count,
            NotBegun = _notBegun,
        };
    }

    /// <summary>Returns the sources that are not excluded, with their targets.</summary>
    private CopyPair[] Copies()
    {
        // The first shard creates the target, which must have the same meaning for the others: with a trailing slash, it is the folder that
        // receives the sources.
        bool intoFolder = options.Shard is not null
            ? Path.EndsInDirectorySeparator(options.Target) || options.Sources.Count > 1 || options.FilesFrom is not null
            : Directory.Exists(options.Target);
        string[] named = [.. Sources()];
        // All named sources count, including excluded ones, so that the meaning of TARGET does not depend on --exclude.
        if (named.Length > 1 && !Directory.Exists(options.Target))
            throw new DirectoryNotFoundException($"{options.Target}: several sources need a folder as their target");
        CopyPair[] copies =
            [.. named.Where(s => !options.Excluded.ExcludesSource(s)).Select(s => new CopyPair(s, TargetOf(s, intoFolder)))];
        return copies.Length > 0 || options.Sources.Count == 0 ? copies
            : throw new UsageException("--exclude leaves out every source that is named; nothing was copied");
    }

    /// <summary>Checks that no existing file would be replaced by a result after it was copied, or as a list of sources.</summary>
    /// <exception cref="UsageException">A result file is a source, a target, in one of their trees, or the list of sources.</exception>
    private void RequireOtherResults(CopyPair[] copies)
    {
        PageOutput output = context.Output;
        if (options.FilesFrom is { } list && list != "-" && output.OptionNaming(list) is { } forList)
            throw new UsageException($"{forList} names {list}, the list of --files-from");
        foreach ((string source, string target) in copies)
        {
            if (output.OptionNaming(source) is { } forSource)
                throw new UsageException($"{forSource} names {source}, which is copied");
            if (output.OptionNaming(target) is { } forTarget)
                throw new UsageException($"{forTarget} names {target}, the copy of {source}");
            // In a tree, a new result may have any name. Of a link, only the link is copied.
            bool isTree = options.Recursive && new DirectoryInfo(source).LinkTarget is null;
            foreach ((string option, string path) in output.Files.Where(f => isTree && File.Exists(f.Path)))
            {
                if (PathInTree(source, path) is not null)
                    throw new UsageException($"{option} names {path}, which is copied with {source}");
                if (PathInTree(target, path) is { } copied && Path.Exists(Path.Combine(source, copied)))
                    throw new UsageException($"{option} names {path}, the copy of {Path.Combine(source, copied)}");
            }
        }
    }

    /// <summary>Returns the path relative to the root of a tree; null if it is not in it, or excluded.</summary>
    private string? PathInTree(string root, string path)
    {
        string[] names = Path.GetRelativePath(EnvironmentProbe.RealPathOf(root), EnvironmentProbe.RealPathOf(path))
            .Split(Path.DirectorySeparatorChar);
        bool isOut = names[0] is "." or ".."
            || Enumerable.Range(1, names.Length).Any(n => options.Excluded.Excludes(string.Join('/', names[..n])));
        return isOut ? null : Path.Combine(names);
    }

    private async Task<int> CopyAllAsync(CopyPair[] copies)
    {
        var plan = new CopyPlan(_terminal, options.Excluded, options.Force || options.Update, options.Update, options.Quiet);
        int exitCode = ExitCode.Success;
        var made = new HashSet<string>(StringComparer.Ordinal);
        foreach (CopyPair copy in copies)
        {
            (string source, string target) = copy;
            if (_isInterrupted || _isDiskOver)
            {
                _notBegun++;
                continue;
            }
            try
            {
                if (!made.Add(Path.GetFullPath(target)) || (!copy.WasThere && File.Exists(target)))
                    throw new IOException($"{target} was just made from another source; {source} is not copied over it");
                PathArgument.RequireParentOf(target);
                if (options.DryRun)
                    plan.Add(source, target, options.Recursive, _cancellationToken);
                else
                    exitCode = Math.Max(exitCode, await CopyOneAsync(source, target));
            }
            catch (OperationCanceledException) when (options.DryRun && _cancellationToken.IsCancellationRequested)
            {
                _isInterrupted = true;
            }
            catch (Exception e) when (copies.Length > 1 && e is IOException or UnauthorizedAccessException)
            {
                // An error ends only the copy of this source, because the other sources do not depend on it.
                _terminal.WriteError(ErrorText.Of(e));
                exitCode = ExitCode.IoError;
                _failed++;
                _isDiskOver = AffectsAllSources(e);
            }
        }
        if (options.DryRun && EnvironmentProbe.FreeBytesAt(EnvironmentProbe.ExistingFolderOf(Path.GetFullPath(options.Target))) is { } free
            && plan.Bytes > free)
        {
            _terminal.WriteError(
                $"{options.Target}: {ByteSize.Format(plan.Bytes)} are to be copied and {ByteSize.Format(free)} are free; only files with "
                + "holes, and blocks that the file system shares, need less");
            exitCode = ExitCode.IoError;
        }
        if (options.DryRun && !options.Quiet)
            _terminal.WriteLine(plan.Total);
        else if (copies.Length == 0 && !options.Quiet)
            _terminal.WriteLine("nothing was copied: no source is left");
        return plan.Failed > 0 ? ExitCode.IoError : exitCode;
    }

    private IEnumerable<string> Sources()
    {
        if (options.FilesFrom is not { } list)
            return options.Sources;
        if (list != "-")
            PathArgument.RequireFile(list);
        string text = InterruptSignals.WhileNothingHasBegun(() => list == "-" ? _terminal.OpenInput().ReadToEnd() : File.ReadAllText(list));
        string[] listed = [.. text.Split('\n').Select(l => l.TrimEnd('\r')).Where(l => l.Length > 0)];
        PathArgument.RequireUtf8(listed);
        return [.. options.Sources, .. listed];
    }

    // A source that ends in "." or ".." stands for the content of that folder, as with cp.
    private string TargetOf(string source, bool intoFolder) =>
        intoFolder && Path.GetFileName(Path.TrimEndingDirectorySeparator(source)) is { Length: > 0 } name and not ("." or "..")
            ? Path.Combine(options.Target, name)
            : options.Target;

    /// <summary>Returns true if an existing target may be replaced. The copy of a tree reports each existing file.</summary>
    /// <exception cref="IOException">The target exists, and the user did not consent to replace it.</exception>
    private bool MayReplace(string source, string target)
    {
        bool isAllowed = options.Force || options.Update;
        // There is no question for a file that cannot be copied there, because the copy reports the reason.
        if (isAllowed || !File.Exists(target) || !File.Exists(source) || Path.GetFullPath(source) == Path.GetFullPath(target)
            || !CopyPlan.IsReplaceable(source, isLink: options.Recursive && new FileInfo(source).LinkTarget is not null, target))
            return isAllowed;
        string what = $"{target} exists ({ByteSize.Format(new FileInfo(target).Length)})";
        if (!_terminal.IsInputTerminal)
            throw new IOException($"{what}: replacing it needs --force");
        return _terminal.Confirm($"{what}. Replace it?") ? true : throw new IOException($"{target} left as it was");
    }

    private async Task<int> CopyOneAsync(string source, string target)
    {
        if (!options.Recursive)
            PathArgument.RequireTarget(source);
        CopyPlan.RequireSource(source, options.Recursive);
        bool mayReplace = MayReplace(source, target);
        long start = Stopwatch.GetTimestamp();
        TimeSpan cpu = Environment.CpuUsage.TotalTime;
        CopyResult result;
        IReadOnlyList<FileFailure> failures = [];
        bool isTree = options.Recursive && Directory.Exists(source);
        bool wasThere = File.Exists(target);
        var line = new CopyProgressLine(TerminalText.Printable(Path.GetFileName(Path.TrimEndingDirectorySeparator(source))), isTree);
        using (var progress = new LiveProgress(_terminal, options.Quiet))
        {
            progress.Show(line.Text);
            try
            {
                result = await SluiceFile.CopyAsync(source, target, LibraryOptions(line, mayReplace), _cancellationToken);
            }
            catch (FileBatchException e)
            {
                failures = e.Failures;
                _isDiskOver = failures.Any(f => AffectsAllSources(f.Error));
                result = (e.Copied ?? new CopyResult()) with
                {
                    Method = options.Method,
                    MethodReason = $"{failures.Count} failed",
                };
            }
            catch (OperationCanceledException e) when (_cancellationToken.IsCancellationRequested)
            {
                _isInterrupted = true;
                failures = (e.InnerException as FileBatchException)?.Failures ?? [];
                result = InterruptedResult(line, isTree);
            }
        }
        TimeSpan elapsed = Stopwatch.GetElapsedTime(start);
        foreach (FileFailure failure in failures)
            _terminal.WriteError(ErrorText.Of(failure.Error));
        if (!options.Force && failures.Any(f => IsThereAlready(f.Error)))
            _terminal.WriteError("what was there is left as it was; --force replaces it");
        cpu = Environment.CpuUsage.TotalTime - cpu;
        CopyRecord record = Record(source, target, result, failures, elapsed, cpu);
        if (_isInterrupted)
        {
            if (!options.Quiet)
                _terminal.WriteLine(CopyText.Interrupted(record, isTree ? null : line.Last.TotalBytes, wasThere, options.Resume), hang: 2);
            return ExitCode.Interrupted;
        }
        // The line is left out for a failed copy without any file, which has no rate.
        if (!options.Quiet && (failures.Count == 0 || result.Files > 0))
        {
            string made = $"{(options.Shard is { } shard ? $"; shard {shard}" : "")}{CopyText.Made(options.Verify, options.Sync)}";
            _terminal.WriteLine(CopyText.Describe(record, made), hang: 2);
        }
        return failures.Count == 0 ? ExitCode.Success : ExitCode.IoError;
    }

    /// <summary>Returns true for the error of a copy whose target exists, including EEXIST of Linux for links, pipes and devices.</summary>
    private static bool IsThereAlready(Exception error) =>
        error.HResult == 17 || error.Message.Contains("there already", StringComparison.Ordinal);

    /// <summary>Returns true for a full disk, an exceeded quota or a read-only file system (ENOSPC, EDQUOT, EROFS of Linux).</summary>
    private static bool AffectsAllSources(Exception error) => error.HResult is 28 or 122 or 30;

    private CopyResult InterruptedResult(CopyProgressLine line, bool isTree) => new()
    {
        Bytes = line.Last.Bytes,
        Files = isTree ? line.Last.Files : 0,
        UnchangedFiles = line.Last.UnchangedFiles,
        Method = options.Method,
        MethodReason = "interrupted",
    };

    private CopyOptions LibraryOptions(IProgress<CopyProgress> progress, bool mayReplace) => new()
    {
        SkipUnchanged = options.Update,
        Exclude = options.Excluded.IsEmpty ? null : options.Excluded.Excludes,
        Method = options.Method,
        Depth = options.Depth,
        Recurse = options.Recursive,
        Shard = options.Shard,
        ContinueOnError = true,
        PreserveMetadata = options.Preserve,
        Overwrite = mayReplace,
        Resume = options.Resume,
        Atomic = options.Atomic,
        Verify = options.Verify,
        FlushToDisk = options.Sync,
        BytesPerSecond = options.BytesPerSecond,
        Progress = progress,
    };

    private CopyRecord Record(
        string source, string target, CopyResult result, IReadOnlyList<FileFailure> failures, TimeSpan elapsed, TimeSpan cpu)
    {
        var record = new CopyRecord(
            Source: source,
            Target: target,
            Bytes: result.Bytes,
            ResumedBytes: result.ResumedBytes,
            Files: result.Files,
            Folders: result.Folders,
            ChangedFiles: result.ChangedFiles,
            UnchangedFiles: result.UnchangedFiles,
            Seconds: elapsed.TotalSeconds,
            CpuSeconds: cpu.TotalSeconds,
            MiBPerSecond: CopyReport.Rate(result.Bytes, elapsed.TotalSeconds),
            Method: CopyCommandOptions.NameOf(result.Method),
            Reason: result.MethodReason,
            Depth: result.Method != CopyMethod.Direct ? 0 : options.BytesPerSecond is null ? options.Depth : 1,
            Failures: [.. failures.Select(f => ErrorText.Of(f.Error))])
        {
            Interrupted = _isInterrupted,
        };
        _records.Add(record);
        return record;
    }

    /// <summary>
    /// Runs the AsyncCopy program of MSR-TR-2004-136: creates a file (1 GiB by default), copies it with four outstanding direct requests,
    /// prints the rates, and deletes both files.
    /// </summary>
    private async Task<int> DemoAsync()
    {
        ProgramRun.Prepare(options.Target, 2 * options.DemoSizeBytes, _terminal);
        using var folder = Bench.ScratchFolder.Create(options.Target, _terminal.TellAtEnd);
        string source = Path.Combine(folder.FullPath, "source.dat");
        CreationTiming made;
        using (var progress = new LiveProgress(_terminal, options.Quiet))
        {
            progress.Show(() => "making the source");
            var target = new TargetOptions(source, FileMode.CreateNew, FileAccess.ReadWrite)
            {
                PreallocationSizeBytes = options.DemoSizeBytes,
                Caching = FileCaching.Direct,
            };
            made = FileMaker.Create(
                IoSide.Sluice, target, options.DemoSizeBytes, FileMaker.DefaultRequestSizeBytes, progress: null, _cancellationToken);
        }
        if (!options.Quiet)
        {
            string rate = CopyText.Rate(made.SizeBytes, (made.Write + made.Flush).TotalSeconds, made.Cpu.TotalSeconds);
            _terminal.WriteLine($"made {rate}");
        }
        CopyCommandOptions copy = options with
        {
            Demo = false,
            Sources = [source],
            Target = Path.Combine(folder.FullPath, "target.dat"),
            Method = options.Method == CopyMethod.Auto ? CopyMethod.Direct : options.Method,
            Sync = true,
        };
        int exitCode = await new CopyCommand(copy, context).RunAsync([new CopyPair(source, copy.Target)]);
        folder.Dispose();
        if (!options.Quiet && !Directory.Exists(folder.FullPath))
            _terminal.WriteLine("both files are deleted");
        return exitCode;
    }
}

/// <summary>A source and the target of its copy.</summary>
internal sealed record CopyPair(string Source, string Target)
{
    /// <summary>True if the target was a file when the command began.</summary>
    public bool WasThere { get; } = File.Exists(Target);
}
