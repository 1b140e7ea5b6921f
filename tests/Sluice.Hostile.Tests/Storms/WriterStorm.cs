namespace Sluice.Hostile.Tests.Storms;

/// <summary>
/// A writer that one thread uses while another one interrupts it, cancels its calls and closes it, and whose progress may throw. Its
/// position says what it has taken: that is in the file in the end, and not a byte more.
/// </summary>
internal sealed class WriterStorm
{
    private const int Steps = 50;
    private static readonly byte[] Content = Bytes.Pattern(1_000_000);

    private readonly SluiceWriter _writer;
    private readonly StormWorker _worker;
    private readonly Random _random;
    private readonly Countdown _progress;

    private WriterStorm(SluiceWriter writer, StormWorker worker, Countdown progress) =>
        (_writer, _worker, _random, _progress) = (writer, worker, worker.Random, progress);

    public static void Run(StormRound round, FileCaching caching, IoEngine? engine)
    {
        string path = round.Temp.NewPath();
        Countdown progress = new(
            round.Random.Next(2) == 0 ? round.Random.Next(1, 20) : int.MaxValue, (ThrownKind)round.Random.Next(3));
        SluiceWriter writer = new(path, new SluiceWriterOptions
        {
            Caching = caching,
            Engine = engine,
            RequestSize = round.Random.Next(3) == 0 ? 0 : 4096 * round.Random.Next(1, 5),
            Depth = round.Random.Next(1, 5),
            Progress = new HostileProgress<long>(progress),
        });
        bool isAsync = round.Random.Next(2) == 0;
        round.Run(1, w => new WriterStorm(writer, w, progress).Work(), () => progress.Try(() =>
        {
            if (isAsync)
            {
                writer.DisposeAsync().AsTask().GetAwaiter().GetResult();
            }
            else
            {
                writer.Dispose();
            }
        }));
        File.ReadAllBytes(path).ShouldBeBytes(Content.AsSpan(0, (int)writer.Position), "what was taken");
        File.Delete(path);
    }

    private void Work()
    {
        int rejected = 0;
        for (int i = 0; i < Steps && !_worker.HasEnded && rejected < 20; i++)
        {
            rejected = Step() ? 0 : rejected + 1;
        }
    }

    private bool Step()
    {
        CancellationToken token = _worker.NextToken();
        int at = (int)_writer.Position;
        int length = _random.Next(3) switch { 0 => _random.Next(1, 100), 1 => _random.Next(1, 5000), _ => _random.Next(1, 18_000) };
        bool isDone;
        switch (_random.Next(6))
        {
            case 0:
                length = 0;
                bool toDisk = _random.Next(20) == 0;
                isDone = _random.Next(2) == 0
                    ? _worker.Try("Flush", () => _writer.Flush(toDisk, token), _progress, token)
                    : _worker.TryAsync("FlushAsync", () => _writer.FlushAsync(toDisk, token).AsTask(), _progress, token);
                break;
            case 1 or 2:
                isDone = _worker.Try("Write", () => _writer.Write(Content.AsSpan(at, length), token), _progress, token);
                break;
            case 3:
                isDone = _worker.Try("GetMemory and Advance", () =>
                {
                    Content.AsSpan(at, length).CopyTo(_writer.GetSpan(length));
                    _writer.Advance(length);
                }, _progress, token);
                break;
            default:
                StormMemory memory = new(_random, _progress, Content.AsSpan(at, length).ToArray(), at);
                isDone = _worker.TryAsync("WriteAsync", () => _writer.WriteAsync(memory.Memory, token).AsTask(), _progress, token);
                memory.Close();
                break;
        }

        if (!_worker.HasEnded)
        {
            int taken = (int)_writer.Position - at;
            taken.ShouldBeInRange(isDone ? length : 0, length, "bytes that were taken");
        }

        return isDone;
    }
}
