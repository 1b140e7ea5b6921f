using System.Diagnostics;
using Sluice.Cli.Load;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice copy`: copies each source, and says how and how fast.</summary>
internal sealed class CopyCommand(
    CopyCommandOptions options, IReadOnlyList<string> arguments, TerminalStreams terminal, CancellationToken cancellationToken)
{
    private readonly List<CopyRecord> _records = [];

    public async Task<int> RunAsync()
    {
        options.Output.Check(terminal);
        DateTimeOffset began = DateTimeOffset.UtcNow;
        int exitCode = options.Demo ? await RunDemoAsync() : await CopyAllAsync();
        if (_records.Count > 0)
            options.Output.Write(terminal, CopyPage.Of(_records, arguments, began, options.Target));
        return exitCode;
    }

    private static string Name(CopyMethod method) => method switch
    {
        CopyMethod.Reflink => "shared blocks (reflink)",
        CopyMethod.CopyFileRange => "within the kernel (copy_file_range)",
        CopyMethod.Direct => "direct, past the page cache",
        CopyMethod.Auto => "each file by what is cheapest for it",
        _ => "buffered",
    };

    private async Task<int> CopyAllAsync()
    {
        bool intoFolder = Directory.Exists(options.Target);
        if (options.Sources.Count > 1 && !intoFolder)
            throw new DirectoryNotFoundException($"{options.Target}: several sources need a folder as their target");
        int exitCode = ExitCode.Success;
        (string Source, string Target, bool WasThere)[] copies =
            [.. from source in options.Sources let target = TargetOf(source, intoFolder) select (source, target, File.Exists(target))];
        var made = new HashSet<string>(StringComparer.Ordinal);
        foreach ((string source, string target, bool wasThere) in copies)
        {
            try
            {
                if (!made.Add(Path.GetFullPath(target)) || (!wasThere && File.Exists(target)))
                    throw new IOException($"{target} was just made from another source; {source} is not copied over it");
                exitCode = Math.Max(exitCode, await CopyOneAsync(source, target));
            }
            catch (Exception e) when (options.Sources.Count > 1 && e is IOException or UnauthorizedAccessException)
            {
                // The other sources do not depend on this one.
                await terminal.Error.WriteLineAsync($"sluice: {e.Message.ReplaceLineEndings(" ")}");
                exitCode = ExitCode.IoError;
            }
        }
        return exitCode;
    }

    // As cp: a source that ends in "." or ".." means what is in that folder, not the folder by its name.
    private string TargetOf(string source, bool intoFolder) =>
        intoFolder && Path.GetFileName(Path.TrimEndingDirectorySeparator(source)) is { Length: > 0 } name and not ("." or "..")
            ? Path.Combine(options.Target, name)
            : options.Target;

    private async Task<int> CopyOneAsync(string source, string target)
    {
        if (!options.Recursive)
            LinkedFile.RequireTarget(source);
        if (Path.GetDirectoryName(Path.GetFullPath(target)) is { } parent && !Directory.Exists(parent))
            throw new DirectoryNotFoundException($"{target}: {parent}: no such directory");
        bool mayReplace = MayReplace(source, target);
        long start = Stopwatch.GetTimestamp();
        TimeSpan cpu = CpuMeter.ProcessTime();
        CopyResult result;
        IReadOnlyList<FileFailure> failures = [];
        var line = new CopyProgressLine(source);
        using (var progress = new LiveProgress(terminal, options.Quiet))
        {
            progress.Show(line.Text);
            try
            {
                result = await SluiceFile.CopyAsync(source, target, LibraryOptions(line, mayReplace), cancellationToken);
            }
            catch (FileBatchException e)
            {
                failures = e.Failures;
                result = new CopyResult
                {
                    Bytes = e.BytesCompleted,
                    Files = (int)e.FilesCompleted,
                    MethodReason = $"{failures.Count} failed",
                };
            }
        }
        TimeSpan elapsed = Stopwatch.GetElapsedTime(start);
        foreach (FileFailure failure in failures)
            await terminal.Error.WriteLineAsync($"sluice: {failure.Error.Message.ReplaceLineEndings(" ")}");
        if (!options.Force && failures.Any(f => f.Error.Message.Contains("there already", StringComparison.Ordinal)))
            await terminal.Error.WriteLineAsync("sluice: what was there is left as it was; --force replaces it");
        cpu = CpuMeter.ProcessTime() - cpu;
        // Of a copy that gave nothing there is no rate to tell.
        if (!options.Quiet && (failures.Count == 0 || result.Files > 0))
            await terminal.Out.WriteLineAsync(Describe(result, elapsed, cpu));
        Record(source, result, failures, elapsed, cpu, line);
        return failures.Count == 0 ? ExitCode.Success : ExitCode.IoError;
    }

    /// <summary>Whether what has the target's name may be replaced: asked of the user, unless the command line says so.</summary>
    /// <exception cref="IOException">It is there, and nobody agreed.</exception>
    private bool MayReplace(string source, string target)
    {
        // Of a tree, each file that is there is reported; a target that is the source is an error of its own.
        if (options.Force || !File.Exists(target) || !File.Exists(source) || Path.GetFullPath(source) == Path.GetFullPath(target))
            return options.Force;
        string what = $"{target} exists ({ByteSize.Format(new FileInfo(target).Length)})";
        if (!terminal.IsInputTerminal)
            throw new IOException($"{what}: replacing it needs --force");
        return terminal.Confirm($"{what}. Replace it?") ? true : throw new IOException($"{target} left as it was");
    }

    private CopyOptions LibraryOptions(IProgress<CopyProgress>? progress, bool mayReplace) => new()
    {
        Method = options.Method,
        Depth = options.Depth,
        Recurse = options.Recursive,
        ContinueOnError = true,
        PreserveMetadata = options.Preserve,
        Overwrite = mayReplace,
        Resume = options.Resume,
        Verify = options.Verify,
        FlushToDisk = options.Sync,
        Progress = progress,
    };

    private void Record(
        string name, CopyResult result, IReadOnlyList<FileFailure> failures, TimeSpan elapsed, TimeSpan cpu,
        CopyProgressLine line) => _records.Add(
        new CopyRecord(name, result.Bytes, result.Files, elapsed.TotalSeconds, cpu.TotalSeconds, Name(result.Method), result.MethodReason)
        {
            Rates = line.Rates,
            Failures = [.. failures.Select(f => f.Error.Message)],
        });

    private string Describe(CopyResult result, TimeSpan elapsed, TimeSpan cpu)
    {
        double rate = result.Bytes / (double)ByteSize.MiB / Math.Max(elapsed.TotalSeconds, 1e-6);
        string files = result.Folders > 0 ? $"{Counted.Of(result.Files, "file")} in {Counted.Of(result.Folders, "folder")}, " : "";
        string depth = result.Depth > 0 ? $", {result.Depth} requests of 1 MiB outstanding" : "";
        string resumed = result.ResumedBytes > 0 ? $"; {ByteSize.Format(result.ResumedBytes)} were there already" : "";
        string made = (options.Verify, options.Sync) switch
        {
            (true, true) => "; verified, on the disk",
            (true, false) => "; verified",
            (false, true) => "; on the disk",
            _ => "",
        };
        string changed = result.ChangedFiles > 0 ? $"; {result.ChangedFiles:#,0} changed meanwhile" : "";
        return $"{files}{ByteSize.Format(result.Bytes)} in {elapsed.TotalSeconds:0.00} s, {rate:#,0} MiB/s, CPU {cpu.TotalSeconds:0.00} s: "
            + $"{Name(result.Method)}{depth} ({result.MethodReason}){resumed}{changed}{made}";
    }

    /// <summary>
    /// The AsyncCopy program of MSR-TR-2004-136: a source of 1 GB, four outstanding unbuffered requests, rates, nothing left.
    /// </summary>
    private async Task<int> RunDemoAsync()
    {
        if (!Directory.Exists(options.Target))
            throw new DirectoryNotFoundException($"{options.Target}: no such directory");
        using var folder = Bench.ScratchFolder.Create(options.Target);
        string source = Path.Combine(folder.FullPath, "source.dat");
        string target = Path.Combine(folder.FullPath, "target.dat");
        long start = Stopwatch.GetTimestamp();
        TimeSpan cpu = CpuMeter.ProcessTime();
        using (var progress = new LiveProgress(terminal, options.Quiet))
        {
            progress.Show(() => "making the source");
            using IoTarget made = IoTarget.Open(IoSide.Sluice, new TargetOptions(source, FileMode.CreateNew, FileAccess.ReadWrite)
            {
                PreallocationSizeBytes = options.DemoSizeBytes,
                Caching = FileCaching.Direct,
            });
            FileMaker.Fill(made, 0, options.DemoSizeBytes, FileMaker.DefaultRequestSizeBytes, progress: null, cancellationToken);
            made.Flush();
        }
        Report("made", Stopwatch.GetElapsedTime(start), CpuMeter.ProcessTime() - cpu, "");

        start = Stopwatch.GetTimestamp();
        cpu = CpuMeter.ProcessTime();
        CopyResult result;
        var line = new CopyProgressLine("the copy");
        using (var progress = new LiveProgress(terminal, options.Quiet))
        {
            progress.Show(line.Text);
            CopyMethod method = options.Method == CopyMethod.Auto ? CopyMethod.Direct : options.Method;
            var copy = new CopyOptions { Method = method, Depth = options.Depth, FlushToDisk = true, Progress = line };
            result = await SluiceFile.CopyAsync(source, target, copy, cancellationToken);
        }
        string depth = result.Depth > 0 ? $", {result.Depth} requests of 1 MiB outstanding" : "";
        TimeSpan elapsed = Stopwatch.GetElapsedTime(start);
        cpu = CpuMeter.ProcessTime() - cpu;
        Record($"{ByteSize.Format(options.DemoSizeBytes)} of random data", result, [], elapsed, cpu, line);
        Report("copied", elapsed, cpu, $": {Name(result.Method)}{depth}; on the disk");
        if (!options.Quiet)
            await terminal.Out.WriteLineAsync("both files are deleted");
        return ExitCode.Success;

        void Report(string verb, TimeSpan elapsed, TimeSpan used, string how)
        {
            if (options.Quiet)
                return;
            double rate = options.DemoSizeBytes / (double)ByteSize.MiB / elapsed.TotalSeconds;
            terminal.Out.WriteLine(
                $"{verb} {ByteSize.Format(options.DemoSizeBytes)} in {elapsed.TotalSeconds:0.00} s, {rate:#,0} MiB/s, CPU "
                    + $"{used.TotalSeconds:0.00} s{how}");
        }
    }
}
