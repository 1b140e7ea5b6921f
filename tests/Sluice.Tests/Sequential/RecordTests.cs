using System.Runtime.InteropServices;

namespace Sluice.Tests.Sequential;

public sealed class RecordTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public static TheoryData<string, FileCaching> Cases => SequentialCases.All;

    public void Dispose() => _temp.Dispose();

    /// <summary>Of memory that takes no place, to a device that has no use for it.</summary>
    [Trait("Tier", "nightly")]
    [SkippableFact]
    public void More_records_than_a_span_of_bytes_holds_are_written()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "/dev/null, and memory that is mapped");
        const int Count = (1 << 28) + 10;
        using ZeroMemory<long> records = new(Count);
        using SluiceWriter writer = new("/dev/null", new SluiceWriterOptions { Mode = FileMode.Open, Share = FileShare.ReadWrite });
        writer.WriteRecords<long>(records.Memory.Span);
        writer.Position.ShouldBe(Count * 8L);
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void Records_come_back_as_they_were_written(string engine, FileCaching caching)
    {
        Trade[] trades = [.. Enumerable.Range(0, 900).Select(i => new Trade { Id = i, Price = i * 1.5, Flags = (byte)i })];
        string path = _temp.NewPath();
        using (SluiceWriter writer = new(
            path, new SluiceWriterOptions { Caching = caching, Engine = SequentialCases.Engine(engine), RequestSize = 4096 }))
        {
            writer.WriteRecord(trades[0]);
            writer.WriteRecords<Trade>(trades.AsSpan(1, 300));
            writer.WriteRecords<Trade>(trades.AsSpan(301));
        }

        foreach (int size in engine == "faulty" ? (int[])[0, 4096] : [0, 4096, 1000, 7])
        {
            using SluiceReader reader = SequentialCases.Reader(path, engine, caching, size, depth: 3);
            List<Trade> read = [];
            foreach (ReadOnlySpan<Trade> records in reader.EnumerateRecordBatches<Trade>())
            {
                read.AddRange(records);
            }

            read.ShouldBe(trades);
        }
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void Records_that_are_not_aligned_are_copied(string engine, FileCaching caching)
    {
        long[] numbers = [.. Enumerable.Range(0, 2000).Select(i => (long)i << 20)];
        string path = _temp.NewFile([7, .. MemoryMarshal.AsBytes<long>(numbers)]);
        foreach (int size in (int[])[0, 4096, 1000])
        {
            using SluiceReader reader = SequentialCases.Reader(path, engine, caching, size, depth: 2);
            reader.ReadRecord<byte>().ShouldBe((byte)7);
            List<long> read = [];
            foreach (ReadOnlySpan<long> records in reader.EnumerateRecordBatches<long>())
            {
                read.AddRange(records);
            }

            read.ShouldBe(numbers);
        }
    }

    [Fact]
    public void A_file_that_ends_within_a_record_is_an_error_after_all_whole_ones()
    {
        string path = _temp.NewFile(new byte[100 * 24 + 5]);
        using SluiceReader reader = new(path);
        int count = 0;
        Should.Throw<InvalidDataException>(() =>
        {
            foreach (ReadOnlySpan<Trade> records in reader.EnumerateRecordBatches<Trade>())
            {
                count += records.Length;
            }
        }).Message.ShouldContain("5 bytes into a record of 24");
        count.ShouldBe(100);
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void A_cancelled_enumeration_leaves_the_reader_before_the_record_that_it_had_begun(string engine, FileCaching caching)
    {
        Trade[] trades = [.. Enumerable.Range(0, 3000).Select(i => new Trade { Id = i, Price = i * 1.5, Flags = (byte)i })];
        string path = _temp.NewFile(MemoryMarshal.AsBytes<Trade>(trades).ToArray());
        using SluiceReader reader = SequentialCases.Reader(path, engine, caching, requestSize: 4096, depth: 3);
        List<Trade> read = [];
        int cancelled = 0;
        for (bool isAtEnd = false; !isAtEnd;)
        {
            using CancellationTokenSource source = new();
            try
            {
                foreach (ReadOnlySpan<Trade> records in reader.EnumerateRecordBatches<Trade>(source.Token))
                {
                    read.AddRange(records);
                    if (records.Length > 1 && cancelled < 10)
                    {
                        // What is left of the block is the beginning of a record.
                        source.Cancel();
                    }
                }

                isAtEnd = true;
            }
            catch (OperationCanceledException)
            {
                cancelled++;
                (reader.Position % Marshal.SizeOf<Trade>()).ShouldBe(0);
            }
        }

        cancelled.ShouldBe(10);
        read.ShouldBe(trades);
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void Each_reads_what_the_other_wrote(string engine, FileCaching caching)
    {
        for (int seed = 0; seed < 3; seed++)
        {
            List<object> values = Values(seed);
            string ours = _temp.NewPath();
            string theirs = _temp.NewPath();
            using (SluiceWriter writer = new(
                ours, new SluiceWriterOptions { Caching = caching, Engine = SequentialCases.Engine(engine), RequestSize = 4096 }))
            {
                values.ForEach(value => WriteOurs(writer, value));
            }

            using (BinaryWriter writer = new(File.Create(theirs)))
            {
                values.ForEach(value => WriteTheirs(writer, value));
            }

            File.ReadAllBytes(ours).ShouldBeBytes(File.ReadAllBytes(theirs), $"seed {seed}");
            foreach (int size in engine == "own" ? (int[])[0, 1, 5, 4096] : [0, 4096])
            {
                using SluiceReader reader = SequentialCases.Reader(theirs, engine, caching, size, depth: 2);
                foreach (object value in values)
                {
                    ReadOurs(reader, value).ShouldBe(value, $"seed {seed}, request size {size}");
                }

                Should.Throw<EndOfStreamException>(() => reader.ReadRecord<byte>());
            }
        }
    }

    private static List<object> Values(int seed)
    {
        Random random = new(seed);
        List<object> values = [];
        for (int i = 0; i < 600; i++)
        {
            long bits = random.NextInt64(long.MinValue, long.MaxValue) >> random.Next(64);
            values.Add(random.Next(4) switch
            {
                0 => bits % 2 == 0,
                1 => (short)bits,
                2 => bits,
                _ => BitConverter.Int64BitsToDouble(bits),
            });
        }

        return values;
    }

    private static void WriteOurs(SluiceWriter writer, object value)
    {
        switch (value)
        {
            case bool v: writer.WriteRecord(v); break;
            case short v: writer.WriteRecord(v); break;
            case long v: writer.WriteRecord(v); break;
            default: writer.WriteRecord((double)value); break;
        }
    }

    private static void WriteTheirs(BinaryWriter writer, object value)
    {
        switch (value)
        {
            case bool v: writer.Write(v); break;
            case short v: writer.Write(v); break;
            case long v: writer.Write(v); break;
            default: writer.Write((double)value); break;
        }
    }

    private static object ReadOurs(SluiceReader reader, object value) => value switch
    {
        bool => reader.ReadRecord<bool>(),
        short => reader.ReadRecord<short>(),
        long => reader.ReadRecord<long>(),
        _ => reader.ReadRecord<double>(),
    };

    [StructLayout(LayoutKind.Sequential)]
    private record struct Trade
    {
        public long Id;
        public double Price;
        public byte Flags;
    }
}
