using Sluice.Cli.Bench;
using Sluice.Cli.Programs;
using Sluice.Cli.Programs.Log;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Commands;

/// <summary>
/// `sluice log`: a load test in which many threads append and every record is checked at the end, and actions on an existing log.
/// </summary>
internal sealed class LogCommand(LogOptions options, CommandContext context)
{
    private readonly TerminalStreams _terminal = context.Terminal;
    private readonly CancellationToken _cancellationToken = context.CancellationToken;

    // The minimum number of digits in the name of a segment.
    private const int SegmentDigits = 10;

    private static readonly TimeSpan LookInterval = TimeSpan.FromMilliseconds(200);

    public async Task<int> RunAsync()
    {
        if (options.Action == LogAction.Load)
            return Load();
        if (context.Output.Named is [(string named, _), ..])
            throw new UsageException($"{named} is the load test's");
        RequireLog();
        try
        {
            return options.Action switch
            {
                LogAction.Cat => Cat(),
                LogAction.Tail => await TailAsync(),
                LogAction.Verify => Verify(),
                _ => Truncate(),
            };
        }
        finally
        {
            // The records before the damage are printed too.
            _terminal.FlushContent();
        }
    }

    // Throws for a folder without a log, which is probably the wrong folder. `tail -f` may start before the log exists.
    private void RequireLog()
    {
        PathArgument.RequireFolder(options.Directory);
        if (!Segments().Any() && !options.Follow)
            throw new FileNotFoundException($"{options.Directory} contains no log");
    }

    private IEnumerable<string> Segments() => Directory.EnumerateFiles(options.Directory).Where(static f => DigitsOf(f) is not null);

    // Returns the digits of a segment's name; null if the file is not a segment.
    private static string? DigitsOf(string path)
    {
        string name = Path.GetFileName(path);
        name = name.EndsWith(".gz", StringComparison.Ordinal) ? name[..^3] : name;
        string digits = Path.GetFileNameWithoutExtension(name);
        bool isSegment = name.EndsWith(".slog", StringComparison.Ordinal)
            && digits.Length >= SegmentDigits && digits.All(char.IsAsciiDigit);
        return isSegment ? digits : null;
    }

    private int Load()
    {
        context.Output.Check(_terminal);
        // The space of all records is required, because the load test removes no segments before its end.
        ProgramRun.Prepare(options.Directory, options.Load.BytesAskedFor, _terminal);
        DateTimeOffset began = DateTimeOffset.UtcNow;
        using ScratchFolder scratch = ScratchFolder.Create(options.Directory, _terminal.TellAtEnd);
        string directory = Path.Combine(scratch.FullPath, "log");
        LogLoadResult result;
        using (var progress = new LiveProgress(_terminal, options.Quiet))
            result = options.Load.Run(directory, progress.Show, _cancellationToken);
        ReportPage page = LogLoadPage.Of(
            options.Load, result, ReportPage.CommandLineOf(context.Arguments), began, EnvironmentProbe.ForPath(options.Directory));
        PageText.WriteResult(_terminal, page);
        context.Output.Write(_terminal, page);
        string[] wrong = [.. result.Wrong()];
        return wrong.Length == 0 ? ExitCode.Success : Fail(string.Join("; ", wrong));
    }

    private int Cat()
    {
        using SluiceLogReader reader = ReaderFrom(options.From);
        while (!_cancellationToken.IsCancellationRequested && !_terminal.IsOutputClosed && reader.TryRead(out LogEntry entry))
            _terminal.WriteContent(entry.Bytes);
        SayTail(reader);
        return SayDamage(reader);
    }

    private async Task<int> TailAsync()
    {
        (long from, long passedOver) = FindLast(options.Lines);
        using SluiceLogReader reader = ReaderFrom(from);
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(_cancellationToken);
        await using Timer? looks = options.Follow ? LookForReader(ended) : null;
        IAsyncEnumerable<SluiceLogRecord> records = options.Follow ? reader.FollowAsync(ended.Token) : reader.ReadAllAsync(ended.Token);
        try
        {
            await foreach (SluiceLogRecord record in records)
            {
                if (passedOver-- > 0)
                    continue;
                _terminal.WriteContent(record.Bytes.Span);
                if (options.Follow)
                    _terminal.FlushContent();
                if (_terminal.IsOutputClosed)
                    break;
            }
        }
        catch (OperationCanceledException) when (_terminal.IsOutputClosed && !_cancellationToken.IsCancellationRequested)
        {
            // The output has no reader any more, so the command ends as after a write to a closed pipe.
        }
        SayTail(reader);
        return ExitCode.Success;
    }

    /// <summary>Ends the wait for new records when stdout has no reader any more.</summary>
    private Timer LookForReader(CancellationTokenSource ended) => new(
        _ =>
        {
            _terminal.OutBytes?.LookForReader();
            if (_terminal.IsOutputClosed)
                ended.Cancel();
        },
        null, LookInterval, LookInterval);

    private SluiceLogReader ReaderFrom(long sequence) =>
        new(options.Directory, new SluiceLogReaderOptions
        {
            FromSequence = sequence,
            UpTo = LogDurability.Written,
            SkipDamage = options.SkipDamage,
        });

    // Returns the first record to read and the number of records to skip. Sequence numbers alone do not determine them, because withdrawn
    // records have numbers too.
    private (long From, long PassedOver) FindLast(int lines)
    {
        long next;
        var fromEnd = new SluiceLogReaderOptions { FromEnd = true, UpTo = LogDurability.Written };
        using (var end = new SluiceLogReader(options.Directory, fromEnd))
            next = end.NextSequence;
        long from = Math.Max(1, next - lines);
        long count = from == 1 ? lines : CountFrom(from) ?? lines;
        for (long back = lines; count < lines && from > 1;)
        {
            back *= 2;
            long earlier = Math.Max(1, next - back);
            if (CountFrom(earlier) is not { } more)
                break;
            (from, count) = (earlier, more);
        }
        return (from, Math.Max(0, count - lines));
    }

    // Returns the number of records from a sequence number on; null if there is damage after it.
    private long? CountFrom(long sequence)
    {
        long count = 0;
        using SluiceLogReader reader = ReaderFrom(sequence);
        try
        {
            while (reader.TryRead(out _))
            {
                _cancellationToken.ThrowIfCancellationRequested();
                count++;
            }
        }
        catch (SluiceLogDamagedException)
        {
            return null;
        }
        return count;
    }

    private int Verify()
    {
        long records = 0;
        long bytes = 0;
        long first = 0;
        long numbers = 0;
        var skipping = new SluiceLogReaderOptions { SkipDamage = true, UpTo = LogDurability.Written };
        using var reader = new SluiceLogReader(options.Directory, skipping);
        while (!_cancellationToken.IsCancellationRequested && reader.TryRead(out LogEntry entry))
        {
            first = records == 0 ? entry.Sequence : first;
            records++;
            numbers = entry.Sequence - first + 1;
            bytes += entry.Bytes.Length;
        }

        string from = records == 0 ? "" : $", from {first} on";
        _terminal.WriteLine($"{Counted.Of(records, "record")}, {ByteSize.Format(bytes)}{from}; the next is {reader.NextSequence}");
        // Damage or a removal during the read also makes numbers without a record, so this is printed only if the log has no damage.
        if (reader.Damage.Count == 0 && numbers > records)
        {
            _terminal.WriteLine(numbers - records == 1
                ? "1 number has no record: its append failed or was abandoned"
                : $"{numbers - records:#,0} numbers have no record: their appends failed or were abandoned");
        }
        int exitCode = SayDamage(reader);
        if (_cancellationToken.IsCancellationRequested)
        {
            _terminal.WriteError("interrupted: the remaining records were not read");
            return ExitCode.Interrupted;
        }
        SayTail(reader);
        return exitCode;
    }

    private int SayDamage(SluiceLogReader reader)
    {
        foreach (SluiceLogDamagedException damage in reader.Damage)
            _terminal.WriteError(damage.Message);
        return reader.Damage.Count == 0 ? ExitCode.Success : ExitCode.IoError;
    }

    private int Truncate()
    {
        // The file of the removal contains records, so it gets the permissions of the newest segment.
        string newest = Segments().OrderBy(static s => DigitsOf(s)!.Length).ThenBy(DigitsOf, StringComparer.Ordinal)
            .ThenByDescending(static s => s.Length).Last();
        if (!PathKinds.IsOwn(newest) || new FileInfo(newest).LinkTarget is not null)
            return Fail($"{newest} is another user's, or a link: cut the log as the user who writes it");
        using SluiceLog log = SluiceLog.Open(options.Directory, new SluiceLogOptions
        {
            Preallocate = false,
            UnixCreateMode = OperatingSystem.IsWindows() ? null : File.GetUnixFileMode(newest),
        });
        if (log.Cut is { } cut)
            _terminal.WriteLine($"{cut.Bytes:#,0} bytes were cut from the end of {cut.Path}: {cut.Reason}");
        if (options.After is not { } after)
            _terminal.WriteLine($"{Counted.Of(log.TruncateBefore(options.Before!.Value), "segment")} removed");
        else if (after >= log.FirstSequence - 1 && after < log.NextSequence)
            log.TruncateAfter(after);
        else
            return Fail($"--after {after}: there is no such record; {options.Directory} has {Has(log)}");
        _terminal.WriteLine(Has(log));
        return ExitCode.Success;
    }

    private static string Has(SluiceLog log) => log.NextSequence > log.FirstSequence
        ? $"records {log.FirstSequence} to {log.NextSequence - 1}"
        : $"no record; the next is {log.NextSequence}";

    private void SayTail(SluiceLogReader reader)
    {
        if (!_terminal.IsOutputClosed && reader.Tail is { } tail)
        {
            _terminal.WriteNotice(
                $"sluice: {tail.Path} ends at offset {tail.FileOffset}: {tail.Reason}; {tail.Bytes:#,0} bytes after it are not a record");
        }
    }

    private int Fail(string message)
    {
        _terminal.WriteError(message);
        return ExitCode.IoError;
    }
}
