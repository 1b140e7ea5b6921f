using Shouldly;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;

namespace Sluice.Faults.Tests.SystemCalls;

/// <summary>Everything that a handle does.</summary>
internal static class HandleScenarios
{
    private const int Offset = 1_234;
    private const int Length = 20_001;
    private const int Guard = 16 * 1024;

    private static readonly byte[] Old = Pattern.Bytes(1, 60_000);
    private static readonly byte[] New = Pattern.Bytes(2, Length);

    public static IEnumerable<CallScenario> All(FileCaching caching)
    {
        yield return Of("open, Length, Alignment", caching, static h =>
        {
            h.Length.ShouldBe(Old.Length);
            return Task.CompletedTask;
        });
        yield return Of("Read", caching, static h => CheckRead(b => Task.FromResult((long)h.Read(b.AsSpan(0, Length), Offset))));
        yield return Writing("Write", caching, static h => Run(() => h.Write(New, Offset)));
        if (caching == FileCaching.Uncached)
        {
            // A flag of the same calls.
            yield break;
        }

        yield return Of("ReadAsync", caching, static h => CheckRead(async b => await h.ReadAsync(b.AsMemory(0, Length), Offset)));
        yield return Of("Read list", caching, static h => CheckRead(b => Task.FromResult(h.Read(Pieces(b), Offset))));
        yield return Of("ReadAsync list", caching, static h => CheckRead(b => h.ReadAsync(Pieces(b), Offset).AsTask()));
        yield return Of("ReadBatch", caching, static h => Run(() => ReadBatch(h)));
        yield return Writing("WriteAsync", caching, static h => h.WriteAsync(New, Offset).AsTask());
        yield return Writing("Write list", caching, static h => Run(() => h.Write(ReadOnly(New), Offset)));
        yield return Writing("WriteAsync list", caching, static h => h.WriteAsync(ReadOnly(New), Offset).AsTask());
        yield return Writing("WriteBatch", caching, static h => Run(() => WriteBatch(h)));
        yield return Of("WriteBatch of blocks", caching, static h => Run(() => WriteBlocks(h)), Blocks);
        yield return Of("Append", caching, static h => Run(() => h.AppendAndGetOffset(New).ShouldBe(Old.Length)), Appended);
        yield return Of("AppendAsync", caching, static async h => (await h.AppendAndGetOffsetAsync(New)).ShouldBe(Old.Length), Appended);
        yield return Of("Append without offset", caching, static h => Run(() => h.Append(New)), Appended);
        yield return Of("AppendAsync without offset", caching, static h => h.AppendAsync(New).AsTask(), Appended);
        yield return Of("FlushToDisk", caching, static h => Run(h.FlushToDisk));
        yield return Of("FlushDataToDisk", caching, static h => Run(h.FlushDataToDisk));
        yield return Of("FlushToDiskAsync", caching, static h => h.FlushToDiskAsync().AsTask());
        yield return Of("Allocate", caching, static h => Run(() => h.Allocate(0, 100_000)), null);
        yield return Of("PunchHole", caching, static h => Run(() => h.PunchHole(4096, 8192)), Punched);
        yield return Of("SetLength shorter", caching, static h => Run(() => h.SetLength(Length)), Old[..Length]);
        yield return Of("SetLength longer", caching, static h => Run(() => h.SetLength(100_000)), [.. Old, .. new byte[40_000]]);
        yield return Of("GetExtents", caching, static h => Run(() => GetExtents(h).ShouldBeGreaterThanOrEqualTo(Old.Length)));
    }

    private static CallScenario Writing(string name, FileCaching caching, Func<SluiceHandle, Task> act) =>
        Of(name, caching, act, [.. Old[..Offset], .. New, .. Old[(Offset + Length)..]]);

    /// <summary>Two requests of whole blocks, which go through a ring where there is one.</summary>
    private static byte[] Blocks { get; } =
        [.. Old[..4096], .. New[..8192], .. Old[12_288..24_576], .. New[8192..16_384], .. Old[32_768..]];

    private static byte[] Appended { get; } = [.. Old, .. New];

    private static byte[] Punched { get; } = [.. Old[..4096], .. new byte[8192], .. Old[12288..]];

    private static CallScenario Of(string name, FileCaching caching, Func<SluiceHandle, Task> act) => Of(name, caching, act, Old);

    /// <param name="expected">The file afterwards; null where it is not looked at.</param>
    private static CallScenario Of(string name, FileCaching caching, Func<SluiceHandle, Task> act, byte[]? expected) => new(
        $"{name} {caching}",
        async folder =>
        {
            string path = Path.Combine(folder, "file");
            using (SluiceHandle handle = SluiceHandle.Open(path, FileMode.Open, FileAccess.ReadWrite, caching: caching))
            {
                await act(handle);
            }

            if (expected is not null)
            {
                FileModel.ShouldMatch(await File.ReadAllBytesAsync(path), expected, name);
            }
        })
    {
        Prepare = static folder => File.WriteAllBytes(Path.Combine(folder, "file"), Old),
        AfterFailure = folder =>
        {
            // Of a transfer that failed any part may have been made, and nothing else; zeros are those of reserved space.
            byte[] now = File.ReadAllBytes(Path.Combine(folder, "file"));
            byte[] whole = expected ?? [.. Old, .. new byte[40_000]];
            for (int i = 0; i < now.Length; i++)
            {
                if (!(i < Old.Length && now[i] == Old[i]) && !(i < whole.Length && now[i] == whole[i]))
                {
                    throw new InvalidOperationException($"byte {i} is neither old nor new");
                }
            }
        },
        Leaves = ["file"],
    };

    private static async Task CheckRead(Func<byte[], Task<long>> read)
    {
        byte[] buffer = new byte[Length + Guard];
        (await read(buffer)).ShouldBe(Length);
        FileModel.ShouldMatch(buffer.AsSpan(0, Length), Old.AsSpan(Offset, Length), "read");
        buffer.AsSpan(Length).IndexOfAnyExcept((byte)0).ShouldBe(-1, "bytes behind the caller's memory");
    }

    private static Memory<byte>[] Pieces(byte[] all) =>
        [all.AsMemory(0, 5000), all.AsMemory(5000, 1), all.AsMemory(5001, 12_000), all.AsMemory(17_001, Length - 17_001)];

    private static ReadOnlyMemory<byte>[] ReadOnly(byte[] all) =>
        [all.AsMemory(0, 5000), all.AsMemory(5000, 1), all.AsMemory(5001, 12_000), all.AsMemory(17_001, Length - 17_001)];

    private static void ReadBatch(SluiceHandle handle)
    {
        ReadRequest[] requests = [.. Enumerable.Range(0, 6).Select(static i => new ReadRequest(i * 8192, new byte[8192]))];
        handle.ReadBatch(requests);
        for (int i = 0; i < requests.Length; i++)
        {
            if (requests[i].Error is { } error)
            {
                throw error;
            }

            requests[i].BytesRead.ShouldBe(8192);
            FileModel.ShouldMatch(requests[i].Buffer.Span, Old.AsSpan(i * 8192, 8192), $"request {i}");
        }
    }

    private static void WriteBatch(SluiceHandle handle)
    {
        WriteRequest[] requests =
            [.. New.Chunk(4000).Select(static (piece, i) => new WriteRequest(Offset + (i * 4000), piece))];
        handle.WriteBatch(requests);
        foreach (WriteRequest request in requests)
        {
            if (request.Error is { } error)
            {
                throw error;
            }

            request.BytesWritten.ShouldBe(request.Buffer.Length);
        }
    }

    private static void WriteBlocks(SluiceHandle handle)
    {
        WriteRequest[] requests = [new WriteRequest(4096, New.AsMemory(0, 8192)), new WriteRequest(24_576, New.AsMemory(8192, 8192))];
        handle.WriteBatch(requests);
        foreach (WriteRequest request in requests)
        {
            if (request.Error is { } error)
            {
                throw error;
            }

            request.BytesWritten.ShouldBe(8192);
        }
    }

    private static long GetExtents(SluiceHandle handle) => handle.GetExtents().Sum(static e => e.Length);

    private static Task Run(Action act)
    {
        act();
        return Task.CompletedTask;
    }
}
