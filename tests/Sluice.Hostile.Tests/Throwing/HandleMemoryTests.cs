namespace Sluice.Hostile.Tests.Throwing;

/// <summary>
/// Memory of the caller's own managers, and lists of it, whose every member throws: whatever a handle was asked to do with it, the pins
/// come back, no byte lies beside them, and the handle goes on.
/// </summary>
[Trait("Tier", "slow")]
public sealed class HandleMemoryTests : HostileTests
{
    private const int Length = 6000;
    private const int Offset = 4096;
    private static readonly byte[] Before = Bytes.Pattern(40_000);
    private static readonly byte[] Written = Bytes.Pattern(Length, 99);

    public static TheoryData<string, FileCaching, string> Calls
    {
        get
        {
            TheoryData<string, FileCaching, string> data = [];
            foreach (string call in (string[])["read", "write", "read list", "write list", "read batch", "write batch", "append"])
            {
                data.Add("own", FileCaching.Cached, call);
                data.Add("own", FileCaching.Direct, call);
                data.Add("held", FileCaching.Direct, call);
            }

            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Calls))]
    public Task Handle(string engine, FileCaching caching, string call) => EveryCallAsync(async countdown =>
    {
        string path = Temp.NewFile(Before);
        using (SluiceHandle handle = SluiceHandle.Open(path, new SluiceOptions
        {
            Access = FileAccess.ReadWrite,
            Engine = Engine(engine),
            Caching = caching,
            Options = FileOptions.Asynchronous,
        }))
        {
            HostileMemory[] memories = [.. Enumerable.Range(0, 3).Select(_ => new HostileMemory(countdown, Written))];
            bool isDone = await countdown.TryAsync(() => CallAsync(handle, countdown, call, memories));
            bool isRead = call.StartsWith("read", StringComparison.Ordinal);
            Check(handle, call, memories, isDone, isRead);
            foreach (HostileMemory memory in memories)
            {
                memory.Close();
            }

            // The same handle, with memory that is none of the caller's making.
            byte[] again = new byte[Length];
            await handle.WriteAsync(Written, Offset);
            (await handle.ReadAsync(again, Offset)).ShouldBe(Length);
            again.ShouldBeBytes(Written);
            (await handle.ReadAsync(again, 0)).ShouldBe(Length);
            again.AsSpan(0, Offset).ToArray().ShouldBeBytes(Before.AsSpan(0, Offset));
        }
    });

    private static async Task CallAsync(SluiceHandle handle, Countdown countdown, string call, HostileMemory[] memories)
    {
        switch (call)
        {
            case "read":
                (await handle.ReadAsync(memories[0].Memory, Offset)).ShouldBe(Length);
                break;
            case "write":
                await handle.WriteAsync(memories[0].Memory, Offset);
                break;
            case "append":
                (await handle.AppendAndGetOffsetAsync(memories[0].Memory)).ShouldBe(Before.Length);
                break;
            case "read list":
                Memory<byte>[] into = [.. memories.Select(m => m.Memory)];
                (await handle.ReadAsync(new HostileList<Memory<byte>>(countdown, into), Offset)).ShouldBe(3 * Length);
                handle.Read(new HostileList<Memory<byte>>(countdown, into), Offset).ShouldBe(3 * Length);
                break;
            case "write list":
                ReadOnlyMemory<byte>[] from = [.. memories.Select(m => (ReadOnlyMemory<byte>)m.Memory)];
                await handle.WriteAsync(new HostileList<ReadOnlyMemory<byte>>(countdown, from), Offset);
                handle.Write(new HostileList<ReadOnlyMemory<byte>>(countdown, from), Offset);
                break;
            case "read batch":
                ReadRequest[] reads = [.. memories.Select((m, i) => new ReadRequest(Offset + (i * Length), m.Memory))];
                handle.ReadBatch(reads);
                Throw(reads.Select(r => r.Error));
                reads.ShouldAllBe(r => r.BytesRead == Length);
                break;
            default:
                WriteRequest[] writes = [.. memories.Select((m, i) => new WriteRequest(Offset + (i * Length), m.Memory))];
                handle.WriteBatch(writes);
                Throw(writes.Select(r => r.Error));
                writes.ShouldAllBe(r => r.BytesWritten == Length);
                break;
        }
    }

    /// <summary>A request's own error, as its caller throws it.</summary>
    private static void Throw(IEnumerable<Exception?> errors)
    {
        if (errors.FirstOrDefault(e => e is not null) is { } error)
        {
            throw error;
        }
    }

    private static void Check(SluiceHandle handle, string call, HostileMemory[] memories, bool isDone, bool isRead)
    {
        int count = call.Contains(' ', StringComparison.Ordinal) ? 3 : 1;
        byte[] all = new byte[handle.Length];
        handle.Read(all, 0).ShouldBe(all.Length);
        if (isRead)
        {
            all.ShouldBeBytes(Before, "a read changed the file");
            for (int i = 0; i < count && isDone; i++)
            {
                ((ReadOnlySpan<byte>)memories[i].Content).ShouldBeBytes(Before.AsSpan(Offset + (i * Length), Length));
            }

            return;
        }

        byte[] asked = call == "append" ? [.. Before, .. Written] : [.. Before];
        for (int i = 0; i < count && call != "append"; i++)
        {
            Written.CopyTo(asked, Offset + (i * Length));
        }

        // Failed, each byte is the old one or the new one: nothing from elsewhere.
        all.Length.ShouldBeOneOf(Before.Length, asked.Length);
        for (int i = 0; i < all.Length; i++)
        {
            if (all[i] != asked[i] && (isDone || all[i] != Before[i]))
            {
                Assert.Fail($"byte {i} is {all[i]}");
            }
        }

        (!isDone || all.Length == asked.Length).ShouldBeTrue("an append is missing");
    }
}
