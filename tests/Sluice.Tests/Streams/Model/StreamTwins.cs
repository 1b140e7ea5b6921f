namespace Sluice.Tests.Streams;

/// <summary>A FileStream and a SluiceStream over twin files: takes a case's steps on both and compares after each.</summary>
internal sealed class StreamTwins(TempFolder folder)
{
    private const int MaxBytes = 1 << 20;

    /// <summary>No check of speed: a step that waits for ever is to be reported, with its name. In seconds that this process ran.</summary>
    private const int HangSeconds = 60;

    private static readonly FileMode[] ReopenModes =
        [FileMode.Open, FileMode.OpenOrCreate, FileMode.Append, FileMode.Open, FileMode.Truncate, FileMode.Create, FileMode.CreateNew];

    private readonly StreamActor _theirs = new();
    private readonly StreamActor _own = new();
    private StreamConfiguration _configuration = null!;
    private string _doing = "";
    private int _sinceClosed;
    private bool _hasUmpire;

    /// <summary>Steps taken and found equal, over all cases.</summary>
    public long Steps { get; private set; }

    /// <summary>
    /// Cases in which FileStream's buffer gave bytes that are not in the file, and FileStream without a buffer agreed with Sluice. Known
    /// of .NET 10.0.12: bytes read up to the end of the buffer, then WriteAsync of at least its size (or a read of 0 bytes after a write),
    /// a seek back, and a read gives what was there before.
    /// </summary>
    public int WrongByFileStream { get; private set; }

    /// <summary>Takes all steps of a case, on files of its own.</summary>
    /// <exception cref="StreamMismatchException">The streams disagree, or a step does not end.</exception>
    public void Run(StreamCase @case)
    {
        try
        {
            RunOnce(@case, hasUmpire: false);
        }
        catch (WrongBytesException) when (!@case.Configuration.IsUnbuffered)
        {
            RunOnce(@case, hasUmpire: true);
            WrongByFileStream++;
        }
    }

    private void RunOnce(StreamCase @case, bool hasUmpire)
    {
        _hasUmpire = hasUmpire;

        // On a thread of the pool: no context of the test runner is to be blocked.
        Task run = Task.Run(() => RunAsync(@case));
        for (int seconds = 0; !((IAsyncResult)run).AsyncWaitHandle.WaitOne(TimeSpan.FromSeconds(1)); seconds++)
        {
            if (seconds == HangSeconds)
            {
                throw new StreamMismatchException($"{_doing} does not end");
            }
        }

        run.GetAwaiter().GetResult();
    }

    private async Task RunAsync(StreamCase @case)
    {
        _configuration = @case.Configuration;
        _theirs.Path = folder.NewPath();
        _own.Path = folder.NewPath();
        Prepare(@case, _theirs.Path);
        Prepare(@case, _own.Path);
        try
        {
            Open(_configuration.Mode);
            for (int i = 0; i < @case.Steps.Length; i++)
            {
                _doing = $"step {i} {@case.Steps[i]}";
                await TakeAsync(@case.Steps[i], i);
                Steps++;
            }

            _doing = "the end";
            await CloseAsync();
        }
        finally
        {
            // After a mismatch nobody asks what closing gives.
            CloseQuietly(_theirs);
            CloseQuietly(_own);
            File.Delete(_theirs.Path);
            File.Delete(_own.Path);
        }
    }

    private static void Prepare(StreamCase @case, string path)
    {
        bool mustExist = @case.Configuration.Mode is FileMode.Open or FileMode.Truncate;
        if (mustExist || (@case.InitialLength > 0 && @case.Configuration.Mode != FileMode.CreateNew))
        {
            File.WriteAllBytes(path, StreamActor.Content(@case.InitialLength));
        }
    }

    private async Task TakeAsync(StreamStep step, int number)
    {
        if (step.Verb == StreamVerb.Reopen || _theirs.Subject is null || _sinceClosed > 3)
        {
            await CloseAsync();
            Open(StreamConfiguration.Fit(ReopenModes[step.Form % ReopenModes.Length], _configuration.Access));
            if (step.Verb == StreamVerb.Reopen || _theirs.Subject is null)
            {
                return;
            }
        }

        long position = _theirs.Position().Value;
        long length = _theirs.Length().Value;
        if (!IsComparable(step, position, length))
        {
            return;
        }

        long offset = step.Anchor switch { 0 => 0, 1 => position, _ => length } + step.Size;
        offset = Math.Min(offset, MaxBytes);
        StreamOutcome expected = await _theirs.DoAsync(step, offset, number);
        Compare("gives", expected, await _own.DoAsync(step, offset, number));
        Compare("leaves the position", _theirs.Position(), _own.Position());
        if (number % 3 == 0)
        {
            Compare("leaves the length", _theirs.Length(), _own.Length());
        }

        if (step.Verb == StreamVerb.Dispose || _sinceClosed > 0)
        {
            _sinceClosed++;
        }

        if (_configuration.IsUnbuffered ? number % 7 == 0 : step.Verb is StreamVerb.Flush && expected.Error is null)
        {
            CompareFiles();
        }
    }

    /// <summary>Leaves out what would make a huge file, and what has no one right outcome.</summary>
    private bool IsComparable(StreamStep step, long position, long length) => step.Verb switch
    {
        // At the largest positions FileStream's own arithmetic overflows; a test of its own looks at the last bytes.
        _ when position > 2 * MaxBytes =>
            step.Verb is not (StreamVerb.Write or StreamVerb.WriteByte or StreamVerb.Overlap or StreamVerb.CopyTo)
            && (step.Verb != StreamVerb.Read || (step.Size > 0 && !IsCutByFaults(position))),
        StreamVerb.Write => position + ((long)step.Size * step.Count) <= MaxBytes,
        StreamVerb.WriteByte => position + step.Count <= MaxBytes,

        // Operations at once race for the end of the file, in .NET's stream too; inside it each has its own bytes.
        StreamVerb.Overlap => position + ((long)step.Size * StreamActor.AtOnce(step)) <= (step.Form % 3 == 1 ? MaxBytes : length),
        _ => true,
    };

    /// <summary>A transfer that would end behind the largest offset is refused; one that a fault has made shorter may find the end of the
    /// file.</summary>
    private bool IsCutByFaults(long position) => _configuration.IsFaulty && position > long.MaxValue - MaxBytes;

    private void Open(FileMode mode)
    {
        _sinceClosed = 0;
        StreamOutcome expected =
            _theirs.Open((path, m) => _configuration.OpenTheirs(path, m, _hasUmpire ? 0 : _configuration.BufferSize), mode);
        Compare($"opening {mode} gives", expected, _own.Open(_configuration.OpenOwn, mode));
        if (expected.Error is null)
        {
            Compare("opening leaves the position", _theirs.Position(), _own.Position());
        }
    }

    private async Task CloseAsync()
    {
        if (_theirs.Subject is not null)
        {
            StreamStep dispose = new(StreamVerb.Dispose, _configuration.IsAsync ? 2 : 0, 0);
            Compare("disposing gives", await _theirs.DoAsync(dispose, 0, 0), await _own.DoAsync(dispose, 0, 0));
            _theirs.Subject = _own.Subject = null;
        }

        CompareFiles();
    }

    private static void CloseQuietly(StreamActor actor)
    {
        try
        {
            actor.Subject?.Stream.Dispose();
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException)
        {
            // The mismatch that led here is what is reported.
        }

        actor.Subject = null;
    }

    private void Compare(string what, StreamOutcome expected, StreamOutcome actual)
    {
        if (expected != actual)
        {
            if (!_hasUmpire && expected.Value == actual.Value && expected.Error is null && actual.Error is null)
            {
                throw new WrongBytesException($"{_doing} {what}: as many bytes, but others");
            }

            throw new StreamMismatchException($"{_doing} {what}: FileStream {expected}, SluiceStream {actual}");
        }
    }

    private void CompareFiles()
    {
        if (File.Exists(_theirs.Path) != File.Exists(_own.Path))
        {
            throw new StreamMismatchException($"{_doing}: the file {(File.Exists(_own.Path) ? "is there" : "is missing")}");
        }

        if (!File.Exists(_theirs.Path))
        {
            return;
        }

        byte[] expected = ReadAll(_theirs.Path);
        byte[] actual = ReadAll(_own.Path);
        int same = expected.AsSpan().CommonPrefixLength(actual);
        if (same != expected.Length || same != actual.Length)
        {
            throw new StreamMismatchException(
                $"{_doing}: the file of FileStream has {expected.Length} bytes, that of SluiceStream {actual.Length}, "
                + $"the first {same} agree");
        }
    }

    private static byte[] ReadAll(string path)
    {
        using FileStream file = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
        byte[] bytes = new byte[file.Length];
        file.ReadExactly(bytes);
        return bytes;
    }

    /// <summary>A read gave as many bytes as FileStream's, but others: who is right, the file tells.</summary>
    private sealed class WrongBytesException(string message) : Exception(message);
}
