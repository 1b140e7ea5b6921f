using Sluice.Kernel;

namespace Sluice.Tests.Engines;

public sealed class OpenFileTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Fact]
    public void A_handle_says_how_many_rings_serve_it_and_why_unless_an_engine_was_asked_for()
    {
        string path = _temp.NewFile(1);
        using SluiceHandle handle = SluiceHandle.Open(path, FileMode.Open, FileAccess.Read, FileShare.Read);
        handle.RingsDescription.ShouldBe(SluiceEngines.RingsDescription);
        using SluiceHandle pooled = SluiceHandle.Open(path, new SluiceOptions { Engine = SluiceEngines.Pool });
        pooled.RingsDescription.ShouldBeNull();
    }

    [SkippableFact]
    public void A_handle_that_has_become_cached_stays_so_when_an_edge_that_was_on_its_way_has_ended()
    {
        using SluiceHandle handle = SluiceHandle.Open(
            _temp.NewFile(10_000), new SluiceOptions { Access = FileAccess.ReadWrite, Caching = FileCaching.Direct });
        Skip.If(handle.Caching != FileCaching.Direct, handle.CachingReason);
        handle.SuspendDirect();
        handle.LoseDirect(Sluice.Errors.IoVerb.Write, 0, 512).ShouldBeTrue();
        handle.ResumeDirect();
        (handle.Caching, handle.Alignment).ShouldBe((FileCaching.Cached, FileAlignment.None));
        (Libc.GetFlags(handle.Descriptor) & Libc.DirectFlag).ShouldBe(0);
        handle.Write([1, 2, 3], 7);
        handle.Read(new byte[3], 7).ShouldBe(3);
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_direct_handle_is_direct_again_after_parts_of_pages(bool isAsync)
    {
        byte[] content = Bytes.Pattern(100_000);
        using SluiceHandle handle = SluiceHandle.Open(
            _temp.NewFile(content), new SluiceOptions { Access = FileAccess.ReadWrite, Caching = FileCaching.Direct });
        Skip.If(handle.Caching != FileCaching.Direct, handle.CachingReason);
        byte[] part = new byte[30_001];
        byte[] read = new byte[part.Length];
        foreach (int offset in (int[])[7, 4096, 99_000])
        {
            part.AsSpan().Fill((byte)offset);
            if (isAsync)
            {
                await handle.WriteAsync(part, offset);
                (await handle.ReadAsync(read, offset)).ShouldBe(read.Length);
                await handle.AppendAsync(part.AsMemory(0, 5));
            }
            else
            {
                handle.Write(part, offset);
                handle.Read(read, offset).ShouldBe(read.Length);
                handle.Append(part.AsSpan(0, 5));
            }

            read.ShouldBeBytes(part);
            handle.Caching.ShouldBe(FileCaching.Direct);
            (Libc.GetFlags(handle.Descriptor) & Libc.DirectFlag).ShouldNotBe(0, $"after a part at {offset}");
        }
    }

    [SkippableFact]
    public void An_interrupted_thread_leaves_nothing_of_its_read_behind()
    {
        // Direct, so that nothing is read inline.
        using SluiceHandle handle = SluiceHandle.Open(_temp.NewFile(10_000), new SluiceOptions { Caching = FileCaching.Direct });
        Skip.If(handle.Caching != FileCaching.Direct, handle.CachingReason);
        Skip.If(handle.EngineInUse.Name == "pool", "this engine has no lock");
        handle.ReadAsync(new byte[512], 0).AsTask().GetAwaiter().GetResult().ShouldBe(512);
        Lock[] locks = [.. LocksOf(typeof(SluiceEngines))];
        locks.ShouldNotBeEmpty();
        using CountingMemory memory = new(512);
        Task<int>? read = null;
        Exception? fromStart = null;
        Exception? afterwards = null;
        var thread = new Thread(() =>
        {
            fromStart = Record.Exception(() => { read = handle.ReadAsync(memory.Memory, 0).AsTask(); });
            afterwards = Record.Exception(() => Thread.Sleep(TimeSpan.FromMinutes(1)));
        });
        Array.ForEach(locks, l => l.Enter());
        try
        {
            thread.Start();
            SpinWait.SpinUntil(() => (thread.ThreadState & ThreadState.WaitSleepJoin) != 0 || !thread.IsAlive);
            thread.Interrupt();
            Thread.Sleep(1);
        }
        finally
        {
            Array.ForEach(locks, l => l.Exit());
        }

        thread.Join();
        fromStart.ShouldBeNull();
        afterwards.ShouldBeOfType<ThreadInterruptedException>();
        read!.GetAwaiter().GetResult().ShouldBe(512);
        memory.Pins.ShouldBe(0);

        // Of all rings: the processor chooses one.
        IEnumerable<Lock> LocksOf(Type engines)
        {
            object?[] held =
            [
                .. engines.GetFields(System.Reflection.BindingFlags.Static | System.Reflection.BindingFlags.NonPublic)
                    .Select(f => f.GetValue(null)),
            ];
            return held.OfType<Sluice.Engines.UringEngine[]>().SelectMany(rings => rings).Distinct()
                .SelectMany(ring => PartsOf(ring).Concat(PartsOf(ring).SelectMany(PartsOf)).OfType<Lock>().Distinct());
        }

        IEnumerable<object> PartsOf(object whole) =>
            whole.GetType().Namespace?.StartsWith("Sluice", StringComparison.Ordinal) == true
            ? whole.GetType()
                .GetFields(System.Reflection.BindingFlags.Instance | System.Reflection.BindingFlags.NonPublic)
                .Where(f => !f.FieldType.IsPointer)
                .Select(f => f.GetValue(whole)!)
                .Where(part => part is not null)
            : [];
    }
}
