using System.Text;
using FsCheck.Fluent;

namespace Sluice.Tests.Sequential;

public sealed class ScanTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public static TheoryData<string, FileCaching> Cases => SequentialCases.All;

    public void Dispose() => _temp.Dispose();

    [Theory]
    [MemberData(nameof(Cases))]
    public void Parts_in_order_are_the_file_and_end_at_lines(string engine, FileCaching caching) =>
        LineTexts.Check(Prop.ForAll(LineTexts.Text, text =>
        {
            byte[] content = Encoding.UTF8.GetBytes(text);
            string path = _temp.NewFile(content);
            foreach (int size in (int[])[1, 2, 7, 100, 4096, 1 << 20])
            {
                if (content.Length / size > 60)
                {
                    continue;
                }

                SluiceScanOptions options = new()
                {
                    PartSize = size,
                    Degree = 3,
                    Caching = caching,
                    Engine = SequentialCases.Engine(engine)
                };
                List<(long Offset, byte[] Bytes)> parts = Run(path, part => (part.Offset, part.Bytes.ToArray()), options);
                parts.SelectMany(part => part.Bytes).ToArray().ShouldBeBytes(content, $"part size {size}");
                long at = 0;
                foreach ((long offset, byte[] bytes) in parts)
                {
                    offset.ShouldBe(at);
                    at += bytes.Length;
                    (at == content.Length || bytes[^1] == '\n').ShouldBeTrue();
                }
            }

            File.Delete(path);
        }), tests: 8);

    [Fact]
    public void Every_line_is_counted_once_in_no_order()
    {
        byte[] content = Encoding.UTF8.GetBytes(string.Concat(Enumerable.Range(0, 100_000).Select(i => $"{i}\n")));
        List<int> lines = Run(_temp.NewFile(content), part => part.Bytes.Count((byte)'\n'),
            new SluiceScanOptions { Degree = 4, Ordered = false, PartSize = 10_000 });
        lines.Count.ShouldBe((content.Length + 9999) / 10_000);
        lines.Sum().ShouldBe(100_000);
    }

    [Fact]
    public void A_scan_tells_how_far_it_has_come()
    {
        List<long> told = [];
        _ = Run(_temp.NewFile(Bytes.Pattern(3_000_000)), part => part.Offset,
            new SluiceScanOptions { Degree = 1, Progress = new ListProgress(told) });
        told.Count.ShouldBe((3_000_000 + (256 * 1024) - 1) / (256 * 1024));
        told[^1].ShouldBe(3_000_000);
    }

    [Fact]
    public void A_file_that_ends_within_a_record_is_refused()
    {
        SluiceScanOptions options = new() { RecordSize = 24 };
        Should.Throw<InvalidDataException>(() => Run(_temp.NewFile(25), part => part.Offset, options));
    }

    [Fact]
    public void An_exception_of_the_callback_ends_the_scan()
    {
        string path = _temp.NewFile(Encoding.UTF8.GetBytes(string.Concat(Enumerable.Repeat("line\n", 10_000))));
        Should.Throw<FormatException>(
            () => Run(path, Throw, new SluiceScanOptions { PartSize = 100, Degree = 3 })).Message.ShouldBe("here");

        static long Throw(ScanPart part) => part.Offset > 20_000 ? throw new FormatException("here") : part.Offset;
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_cancellation_that_the_callback_throws_is_no_end_of_the_file(bool ordered)
    {
        string path = _temp.NewFile(Encoding.UTF8.GetBytes(string.Concat(Enumerable.Repeat("line\n", 20_000))));
        for (int at = 1; at < 30; at += 7)
        {
            int calls = 0;
            Should.Throw<OperationCanceledException>(
                () => Run(path, Throw, new SluiceScanOptions { PartSize = 3000, Degree = 2, Ordered = ordered }));

            long Throw(ScanPart part) =>
                Interlocked.Increment(ref calls) == at ? throw new OperationCanceledException("mine") : part.Offset;
        }
    }

    [Fact]
    public void An_exception_of_the_progress_ends_the_scan()
    {
        string path = _temp.NewFile(Encoding.UTF8.GetBytes(string.Concat(Enumerable.Repeat("line\n", 20_000))));
        foreach (Exception exception in (Exception[])[new OperationCanceledException(), new FormatException()])
        {
            SluiceScanOptions options = new() { PartSize = 3000, Degree = 2, Progress = new ThrowingProgress(5, exception) };
            Record.Exception(() => Run(path, part => part.Offset, options)).ShouldBeOfType(exception.GetType());
        }
    }

    /// <summary>The file is closed next, and the callback uses memory of the scan.</summary>
    [Fact]
    public async Task Leaving_a_scan_waits_for_the_parts_that_are_being_processed()
    {
        string path = _temp.NewFile(new byte[4000]);
        using ManualResetEventSlim isRunning = new();
        using ManualResetEventSlim mayEnd = new();
        SluiceScanOptions options = new() { RecordSize = 1, PartSize = 1000, Degree = 2 };
        IAsyncEnumerator<long> scan = SluiceReader.ScanAsync(
            path,
            part =>
            {
                if (part.Offset > 0)
                {
                    isRunning.Set();
                    mayEnd.Wait();
                }

                return part.Offset;
            },
            options).GetAsyncEnumerator();
        (await scan.MoveNextAsync()).ShouldBeTrue();
        isRunning.Wait();
        ValueTask end = scan.DisposeAsync();
        bool hasWaited = !end.IsCompleted;
        mayEnd.Set();
        await end;
        hasWaited.ShouldBeTrue();
    }

    [Fact]
    public void Cancelling_ends_the_scan_and_leaving_it_stops_the_threads()
    {
        string path = _temp.NewFile(Encoding.UTF8.GetBytes(string.Concat(Enumerable.Repeat("line\n", 10_000))));
        using CancellationTokenSource source = new();
        int calls = 0;
        Should.Throw<OperationCanceledException>(
            () => Run(path, Count, new SluiceScanOptions { PartSize = 100, Degree = 2 }, source.Token));
        calls.ShouldBeLessThan(500);

        int Count(ScanPart part)
        {
            if (Interlocked.Increment(ref calls) == 20)
            {
                source.Cancel();
            }

            return part.Bytes.Length;
        }
    }

    private static List<T> Run<T>(
        string path, ScanCallback<T> callback, SluiceScanOptions options, CancellationToken cancellationToken = default) =>
        SluiceReader.ScanAsync(path, callback, options, cancellationToken).ToBlockingEnumerable(cancellationToken).ToList();
}
