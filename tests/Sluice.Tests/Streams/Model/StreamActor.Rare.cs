namespace Sluice.Tests.Streams;

/// <summary>Several operations at once, tokens that are cancelled already, and arguments that cannot be right.</summary>
internal sealed partial class StreamActor
{
    /// <summary>How many operations an <see cref="StreamVerb.Overlap"/> step starts.</summary>
    public static int AtOnce(StreamStep step) => 2 + (step.Count % (MaxAtOnce - 1));

    /// <summary>Starts all, then waits for all: form 0 reads, 1 writes, 2 both in turn. No flush among them:
    /// FileStream's may write the same bytes twice then (see the conformance suite). Gives the errors of all.</summary>
    private async Task<string?> OverlapAsync(StreamStep step)
    {
        int count = AtOnce(step);
        List<(Task Task, Memory<byte> Target)> started = [];
        List<string> errors = [];
        for (int i = 0; i < count; i++)
        {
            Memory<byte> target = _buffer.AsMemory(Front + (i * step.Size), step.Size);
            bool isRead = (step.Form % 3) switch
            {
                0 => true,
                1 => false,
                _ => i % 2 == 0,
            };
            try
            {
                started.Add(isRead
                    ? (Stream.ReadAsync(target).AsTask(), target)
                    : (Stream.WriteAsync(Source.AsMemory(StartOf(i), step.Size)).AsTask(), default));
            }
            catch (Exception e)
            {
                errors.Add(Describe(e, isTask: false));
            }
        }

        foreach ((Task task, Memory<byte> target) in started)
        {
            try
            {
                await task;
                if (task is Task<int> read)
                {
                    _value += read.Result;
                    _hash.Add(read.Result);
                    _hash.AddBytes(target.Span[..read.Result]);
                }
            }
            catch (Exception e)
            {
                errors.Add(Describe(e, isTask: true));
            }
        }

        return errors.Count == 0 ? null : string.Join("; ", errors);
    }

    private async Task CancelledAsync(StreamStep step)
    {
        CancellationToken token = new(canceled: true);
        Memory<byte> window = _buffer.AsMemory(Front, step.Size);
        Task task;
        switch (step.Form % 6)
        {
            case 0:
                task = Stream.ReadAsync(window, token).AsTask();
                break;
            case 1:
                task = Stream.ReadAsync(_buffer, Front, step.Size, token);
                break;
            case 2:
                task = Stream.WriteAsync(Source.AsMemory(0, step.Size), token).AsTask();
                break;
            case 3:
                task = Stream.WriteAsync(Source, 0, step.Size, token);
                break;
            case 4:
                task = Stream.FlushAsync(token);
                break;
            default:
                task = Stream.CopyToAsync(Stream.Null, token);
                break;
        }

        _isTask = true;
        await task;
    }

    private async Task BadArgumentAsync(StreamStep step)
    {
        byte[] array = _buffer;
        switch (step.Form % BadArguments)
        {
            case 0: _value = Stream.Read(null!, 0, 0); break;
            case 1: _value = Stream.Read(array, -1, 1); break;
            case 2: _value = Stream.Read(array, 0, -1); break;
            case 3: _value = Stream.Read(array, 1, array.Length); break;
            case 4: Stream.Write(null!, 0, 0); break;
            case 5: Stream.Write(array, -1, 1); break;
            case 6: Stream.Write(array, 0, -1); break;
            case 7: Stream.Write(array, array.Length, 1); break;
            case 8: _value = await Stream.ReadAsync(null!, 0, 0); break;
            case 9: _value = await Stream.ReadAsync(array, -1, 1); break;
            case 10: _value = await Stream.ReadAsync(array, 2, array.Length); break;
            case 11: await Stream.WriteAsync(null!, 0, 0); break;
            case 12: await Stream.WriteAsync(array, 0, -1); break;
            case 13: Stream.BeginRead(null!, 0, 0, null, null); break;
            case 14: Stream.BeginWrite(array, 0, array.Length + 1, null, null); break;
            case 15: _value = Stream.EndRead(null!); break;
            case 16: Stream.EndWrite(null!); break;
            case 17: _value = Stream.EndRead(Task.CompletedTask); break;
            case 18: Stream.EndWrite(Task.FromResult(1)); break;
            case 19: _value = Stream.Seek(0, (SeekOrigin)7); break;
            case 20: _value = Stream.Seek(long.MaxValue, SeekOrigin.Current); break;
            case 21: _value = Stream.Seek(long.MinValue, SeekOrigin.End); break;
            case 22: Stream.SetLength(-1); break;
            case 23: Stream.SetLength(long.MinValue); break;
            case 24: Stream.Position = -1; break;
            case 25: Subject!.Lock(-1, 0); break;
            case 26: Subject!.Lock(0, -1); break;
            case 27: Subject!.Unlock(-1, 0); break;
            case 28: Subject!.Unlock(0, -1); break;
            case 29: Stream.CopyTo(null!); break;
            case 30: Stream.CopyTo(Stream.Null, 0); break;
            case 31: await Stream.CopyToAsync(null!); break;
            case 32: await Stream.CopyToAsync(Stream.Null, -1); break;
            case 33: Stream.CopyTo(new MemoryStream([], writable: false)); break;
            case 34: await Stream.CopyToAsync(new MemoryStream([], writable: false)); break;
            case 35: _value = Stream.ReadTimeout; break;
            case 36: Stream.WriteTimeout = 1; break;
            default: await Stream.CopyToAsync(ClosedStream()); break;
        }
    }

    /// <summary>How many forms <see cref="StreamVerb.BadArgument"/> has.</summary>
    public const int BadArguments = 38;

    private static MemoryStream ClosedStream()
    {
        MemoryStream closed = new();
        closed.Dispose();
        return closed;
    }
}
