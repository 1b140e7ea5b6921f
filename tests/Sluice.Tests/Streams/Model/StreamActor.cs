namespace Sluice.Tests.Streams;

/// <summary>Takes steps on one stream, and tells what each gave in a form that can be compared.</summary>
internal sealed partial class StreamActor
{
    public const int MaxTransfer = 70_000;
    private const int MaxAtOnce = 6;
    private const int Front = 16;
    private const byte Guard = 0xA5;

    private static readonly byte[] Source = MakeSource();

    private readonly byte[] _buffer = new byte[Front + (MaxTransfer * MaxAtOnce) + Front];
    private HashCode _hash;
    private long _value;
    private bool _isTask;
    private int _salt;

    /// <summary>The stream, or null where it could not be opened.</summary>
    public StreamSubject? Subject { get; set; }

    /// <summary>The file that the stream should be of.</summary>
    public string Path { get; set; } = "";

    private Stream Stream => Subject!.Stream;

    /// <summary>Content of new files: the same for each call.</summary>
    public static ReadOnlySpan<byte> Content(int length) => Source.AsSpan(0, length);

    /// <summary>Opens the stream.</summary>
    public StreamOutcome Open(Func<string, FileMode, StreamSubject> open, FileMode mode)
    {
        Subject = null;
        return Try(() =>
        {
            Subject = open(Path, mode);
            return 0;
        });
    }

    public StreamOutcome Position() => Try(() => Stream.Position);

    public StreamOutcome Length() => Try(() => Stream.Length);

    /// <summary>Takes one step.</summary>
    /// <param name="offset">Where the step's offset leads, for verbs that take an offset from the begin of the file.</param>
    /// <param name="salt">Chooses the bytes that are written.</param>
    public async Task<StreamOutcome> DoAsync(StreamStep step, long offset, int salt)
    {
        _hash = default;
        _value = 0;
        _isTask = false;
        _salt = salt;
        string? error = null;
        try
        {
            if (step.Verb == StreamVerb.Overlap)
            {
                error = await OverlapAsync(step);
            }
            else
            {
                await ActAsync(step, offset);
            }
        }
        catch (Exception e)
        {
            error = Describe(e, _isTask);
        }

        return new StreamOutcome(_value, _hash.ToHashCode(), error);
    }

    private static StreamOutcome Try(Func<long> action)
    {
        try
        {
            return new StreamOutcome(action(), 0, null);
        }
        catch (Exception e)
        {
            return new StreamOutcome(0, 0, Describe(e, isTask: false));
        }
    }

    private static string Describe(Exception e, bool isTask)
    {
        string parameter = e is ArgumentException argument ? $"({argument.ParamName})" : "";
        string own = e is InvalidOperationException && e.Message.StartsWith("guard", StringComparison.Ordinal) ? e.Message : "";

        // Which of the two it is differs in FileStream itself, by buffer size and sync/async.
        string type = e is OperationCanceledException ? nameof(OperationCanceledException) : e.GetType().Name;
        return $"{type}{parameter}{own}{(isTask ? " by task" : "")}";
    }

    private static byte[] MakeSource()
    {
        byte[] source = new byte[1 << 20];
        new Random(832_784).NextBytes(source);
        return source;
    }

    private Task ActAsync(StreamStep step, long offset)
    {
        switch (step.Verb)
        {
            case StreamVerb.Read:
                return ReadAsync(step);
            case StreamVerb.Write:
                return WriteAsync(step);
            case StreamVerb.ReadByte:
                return ReadBytesAsync(step);
            case StreamVerb.WriteByte:
                return WriteBytesAsync(step);
            case StreamVerb.Seek:
                _value = Stream.Seek(step.Size, (SeekOrigin)step.Anchor);
                return Task.CompletedTask;
            case StreamVerb.SetPosition:
                Stream.Position = offset;
                return Task.CompletedTask;
            case StreamVerb.GetLength:
                _value = Stream.Length;
                return Task.CompletedTask;
            case StreamVerb.SetLength:
                Stream.SetLength(offset);
                return Task.CompletedTask;
            case StreamVerb.Flush:
                return FlushAsync(step);
            case StreamVerb.CopyTo:
                return CopyToAsync(step);
            case StreamVerb.LockAndUnlock:
                Subject!.Lock(offset, step.Count);
                Subject.Unlock(offset, step.Count);
                return Task.CompletedTask;
            case StreamVerb.GetHandle:
                _value = Native.OffsetOf(Subject!.Handle);
                return Task.CompletedTask;
            case StreamVerb.GetProperties:
                _value = (Stream.CanRead ? 1 : 0) + (Stream.CanWrite ? 2 : 0) + (Stream.CanSeek ? 4 : 0) + (Stream.CanTimeout ? 8 : 0)
                    + (Subject!.IsAsync ? 16 : 0) + (Subject.Name == Path ? 32 : 0);
                return Task.CompletedTask;
            case StreamVerb.Cancelled:
                return CancelledAsync(step);
            case StreamVerb.BadArgument:
                return BadArgumentAsync(step);
            case StreamVerb.Dispose:
                return DisposeAsync(step);
            default:
                throw new ArgumentException($"{step.Verb} is not a step on one stream.", nameof(step));
        }
    }

    private async Task ReadAsync(StreamStep step)
    {
        Memory<byte> window = _buffer.AsMemory(Front, step.Size);
        for (int i = 0; i < step.Count; i++)
        {
            _buffer[Front - 1] = _buffer[Front + step.Size] = Guard;
            int bytes = await ReadOnceAsync(step.Form % 8, window);
            _value += bytes;
            _hash.Add(bytes);
            _hash.AddBytes(window.Span[..bytes]);
            if (_buffer[Front - 1] != Guard || _buffer[Front + step.Size] != Guard)
            {
                throw new InvalidOperationException("guard: a read wrote outside its buffer");
            }
        }
    }

    private async Task<int> ReadOnceAsync(int form, Memory<byte> window)
    {
        switch (form)
        {
            case 0:
                return Stream.Read(_buffer, Front, window.Length);
            case 1:
                return Stream.Read(window.Span);
            case 2:
                ValueTask<int> read = Stream.ReadAsync(window);
                _isTask = true;
                int bytes = await read;
                _isTask = false;
                return bytes;
            case 3:
                Task<int> reading = Stream.ReadAsync(_buffer, Front, window.Length);
                _isTask = true;
                bytes = await reading;
                _isTask = false;
                return bytes;
            case 4:
                return await Task<int>.Factory.FromAsync(Stream.BeginRead, Stream.EndRead, _buffer, Front, window.Length, null);
            case 5:
                IAsyncResult result = Stream.BeginRead(_buffer, Front, window.Length, null, this);
                result.AsyncWaitHandle.WaitOne();
                _isTask = true;
                bytes = Stream.EndRead(result);
                _isTask = false;
                return result.AsyncState == this && result.IsCompleted ? bytes : -1;
            case 6:
                Stream.ReadExactly(window.Span);
                return window.Length;
            default:
                return await Stream.ReadAtLeastAsync(window, window.Length, throwOnEndOfStream: false);
        }
    }

    private async Task WriteAsync(StreamStep step)
    {
        for (int i = 0; i < step.Count; i++)
        {
            int start = StartOf(i);
            Memory<byte> bytes = Source.AsMemory(start, step.Size);
            switch (step.Form % 6)
            {
                case 0:
                    Stream.Write(Source, start, step.Size);
                    break;
                case 1:
                    Stream.Write(bytes.Span);
                    break;
                case 2:
                    ValueTask write = Stream.WriteAsync(bytes);
                    _isTask = true;
                    await write;
                    break;
                case 3:
                    Task writing = Stream.WriteAsync(Source, start, step.Size);
                    _isTask = true;
                    await writing;
                    break;
                case 4:
                    await Task.Factory.FromAsync(Stream.BeginWrite, Stream.EndWrite, Source, start, step.Size, null);
                    break;
                default:
                    IAsyncResult result = Stream.BeginWrite(Source, start, step.Size, null, this);
                    result.AsyncWaitHandle.WaitOne();
                    _isTask = true;
                    Stream.EndWrite(result);
                    break;
            }

            _isTask = false;
            _value += step.Size;
        }
    }

    private async Task ReadBytesAsync(StreamStep step)
    {
        for (int i = 0; i < step.Count; i++)
        {
            int value = step.Form % 2 == 0 ? Stream.ReadByte() : await Subject!.ReadByteAsync();
            _hash.Add(value);
            _value++;
        }
    }

    private async Task WriteBytesAsync(StreamStep step)
    {
        for (int i = 0; i < step.Count; i++)
        {
            byte value = Source[StartOf(i)];
            if (step.Form % 2 == 0)
            {
                Stream.WriteByte(value);
            }
            else
            {
                await Subject!.WriteByteAsync(value);
            }

            _value++;
        }
    }

    private async Task FlushAsync(StreamStep step)
    {
        switch (step.Form % 4)
        {
            case 0:
                Stream.Flush();
                break;
            case 1:
                Subject!.Flush(flushToDisk: false);
                break;
            case 2:
                Subject!.Flush(flushToDisk: true);
                break;
            default:
                Task flush = Stream.FlushAsync();
                _isTask = true;
                await flush;
                break;
        }
    }

    private async Task CopyToAsync(StreamStep step)
    {
        using MemoryStream target = new();
        int bufferBytes = Math.Max(1, step.Size);
        switch (step.Form % 4)
        {
            case 0:
                Stream.CopyTo(target);
                break;
            case 1:
                Stream.CopyTo(target, bufferBytes);
                break;
            default:
                Task copy = step.Form % 4 == 2 ? Stream.CopyToAsync(target) : Stream.CopyToAsync(target, bufferBytes);
                _isTask = true;
                await copy;
                break;
        }

        _value = target.Length;
        _hash.AddBytes(target.GetBuffer().AsSpan(0, (int)target.Length));
    }

    private async Task DisposeAsync(StreamStep step)
    {
        switch (step.Form % 4)
        {
            case 0:
                Stream.Dispose();
                break;
            case 1:
                Stream.Close();
                break;
            case 2:
                ValueTask disposing = Stream.DisposeAsync();
                _isTask = true;
                await disposing;
                break;
            default:
                Stream.Dispose();
                await Stream.DisposeAsync();
                Stream.Close();
                break;
        }
    }

    private int StartOf(int i) => (int)((((uint)_salt * 7919) + ((uint)i * 104_729)) % (uint)(Source.Length - MaxTransfer));
}
