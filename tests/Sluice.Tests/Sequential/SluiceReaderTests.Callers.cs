namespace Sluice.Tests.Sequential;

/// <summary>What the caller's own code does: throws, cancels.</summary>
public sealed partial class SluiceReaderTests
{
    [Theory]
    [MemberData(nameof(Cases))]
    public async Task An_exception_of_the_progress_reaches_the_caller_and_loses_nothing(string engine, FileCaching caching)
    {
        byte[] content = Bytes.Pattern(30_000);
        string path = _temp.NewFile(content);
        foreach (bool isAsync in (bool[])[false, true])
        {
            bool hasThrown = true;
            for (int count = 1; hasThrown; count++)
            {
                ThrowingProgress progress = new(count);
                using SluiceReader reader = SequentialCases.Reader(path, engine, caching, 4096, 2, progress: progress);
                MemoryStream read = new();
                int thrown = 0;
                while (true)
                {
                    try
                    {
                        ReadOnlyMemory<byte> block = isAsync ? await reader.ReadBlockAsync() : reader.BlockOrEmpty().ToArray();
                        if (block.IsEmpty)
                        {
                            break;
                        }

                        read.Write(block.Span);
                    }
                    catch (InvalidTimeZoneException)
                    {
                        thrown++;
                    }
                }

                hasThrown = progress.HasThrown;
                thrown.ShouldBe(hasThrown ? 1 : 0);
                read.ToArray().ShouldBeBytes(content, $"call {count}, async {isAsync}");
            }
        }
    }

    [Fact]
    public async Task A_cancellation_that_the_progress_throws_is_one()
    {
        using SluiceReader reader = SequentialCases.Reader(
            _temp.NewFile(10_000), "own", FileCaching.Cached, 4096, progress: new ThrowingProgress(1, new OperationCanceledException()));
        Task<ReadOnlyMemory<byte>> task = reader.ReadBlockAsync().AsTask();
        await Should.ThrowAsync<OperationCanceledException>(() => task);
        task.IsCanceled.ShouldBeTrue();
        (await reader.ReadBlockAsync()).Length.ShouldBe(4096);
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void A_value_that_failed_can_be_read_again(string engine, FileCaching caching)
    {
        long[] numbers = [.. Enumerable.Range(0, 2000).Select(i => (long)i << 20)];
        string path = _temp.NewFile([1, 2, 3, .. System.Runtime.InteropServices.MemoryMarshal.AsBytes<long>(numbers)]);
        for (int count = 2; count < 5; count++)
        {
            ThrowingProgress progress = new(count);
            using SluiceReader reader = SequentialCases.Reader(path, engine, caching, 4096, 2, progress: progress);
            reader.ReadExactly(new byte[3]);
            int thrown = 0;
            for (int i = 0; i < numbers.Length;)
            {
                try
                {
                    reader.ReadRecord<long>().ShouldBe(numbers[i]);
                    i++;
                }
                catch (InvalidTimeZoneException)
                {
                    reader.Position.ShouldBe(3 + (8L * i));
                    thrown++;
                }
            }

            thrown.ShouldBe(1);
        }
    }
}
