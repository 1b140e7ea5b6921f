using Shouldly;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;
using Sluice.Faults.Tests.Support;
using Sluice.Testing;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>
/// One transfer of a reader or writer fails with EIO, each in its turn, among short, late and reordered ones: the error comes once, with
/// its offset, and no wrong byte with it.
/// </summary>
[Trait("Tier", "slow")]
public sealed class SequentialErrorTests
{
    private const int Length = 150_001;
    private const int Request = 16 * 1024;

    public static TheoryData<FileCaching, bool> Cases()
    {
        TheoryData<FileCaching, bool> cases = [];
        foreach (FileCaching caching in Enum.GetValues<FileCaching>())
        {
            cases.Add(caching, false);
            cases.Add(caching, true);
        }

        return cases;
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task A_reader_tells_once_where_it_failed_and_goes_on_there(FileCaching caching, bool isAsync)
    {
        using Mount mount = new(FileSystemKind.Local);
        string path = Path.Combine(mount.Folder, "read");
        byte[] content = Pattern.Bytes(11, Length);
        await File.WriteAllBytesAsync(path, content);
        int failures = 0;
        for (int failing = 0; failing < 14; failing++)
        {
            await using SluiceReader reader = new(path, new SluiceReaderOptions
            {
                Caching = caching,
                Engine = new FaultyEngine(Faults(failing)),
                RequestSize = Request,
                Depth = 3,
            });
            MemoryStream read = new();
            int errors = 0;
            while (true)
            {
                try
                {
                    ReadOnlyMemory<byte> block = isAsync ? await reader.ReadBlockAsync() : Next(reader);
                    if (block.IsEmpty)
                    {
                        break;
                    }

                    read.Write(block.Span);
                }
                catch (IOException e)
                {
                    errors++;
                    e.Message.ShouldContain(path);
                    reader.Position.ShouldBe(read.Length);
                    SequentialFullDiskTests.OffsetIn(e).ShouldBeInRange(read.Length, read.Length + Request);
                }
            }

            errors.ShouldBeLessThanOrEqualTo(1, $"submission {failing} failed once");
            failures += errors;
            FileModel.ShouldMatch(read.ToArray(), content, $"submission {failing} failed");
        }

        failures.ShouldBeGreaterThan(5);
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task A_writer_keeps_its_first_error_and_leaves_no_gap(FileCaching caching, bool isAsync)
    {
        using Mount mount = new(FileSystemKind.Local);
        byte[] content = Pattern.Bytes(12, Length);
        int failures = 0;
        for (int failing = 0; failing < 14; failing++)
        {
            string path = Path.Combine(mount.Folder, $"written-{failing}");
            SluiceWriter writer = new(path, new SluiceWriterOptions
            {
                Caching = caching,
                Engine = new FaultyEngine(Faults(failing)),
                RequestSize = Request,
                Depth = 3,
            });
            HashSet<string> errors = [];
            long flushed = 0;
            for (int at = 0; at < Length; at += 10_000)
            {
                try
                {
                    await SequentialFullDiskTests.WriteAsync(writer, content[at..Math.Min(at + 10_000, Length)], isAsync);
                    if (at % 40_000 == 0)
                    {
                        await SequentialFullDiskTests.FlushAsync(writer, isAsync);
                        flushed = writer.Position;
                    }
                }
                catch (IOException e)
                {
                    errors.Add(e.Message);
                }
            }

            try
            {
                await writer.DisposeAsync();
            }
            catch (IOException e)
            {
                errors.ShouldBeEmpty("Disposal repeats an error that was thrown before");
                errors.Add(e.Message);
            }

            errors.Count.ShouldBeLessThanOrEqualTo(1, $"submission {failing} failed once");
            failures += errors.Count;
            byte[] left = await File.ReadAllBytesAsync(path);
            left.LongLength.ShouldBeGreaterThanOrEqualTo(errors.Count == 0 ? Length : flushed, $"submission {failing} failed");
            FileModel.ShouldMatch(left, content.AsSpan(0, left.Length), $"submission {failing} failed");
        }

        failures.ShouldBeGreaterThan(5);
    }

    private static byte[] Next(SluiceReader reader) => reader.TryReadBlock(out ReadOnlySpan<byte> block) ? block.ToArray() : [];

    private static FaultPlan Faults(int failing) =>
        new FaultPlan(failing) { ShortTransfer = 0.2, Eintr = 0.1, Delay = 0.2, MaxDelayMs = 1, Reorder = 0.2 }.FailAt(failing,
            FaultKind.DeviceError);
}
