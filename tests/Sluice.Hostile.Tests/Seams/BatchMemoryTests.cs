using System.Buffers;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>Memory whose manager does something of its own when a batch pins it: it runs where nobody waits for it.</summary>
public sealed class BatchMemoryTests : HostileTests
{
    private const int Block = 4096;
    private static readonly byte[] Content = Bytes.Pattern(Block);

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task A_manager_may_write_to_the_file_whose_batch_pins_its_memory(string engine, FileCaching caching)
    {
        string path = Temp.NewFile(new byte[16 * Block]);
        using (SluiceHandle handle = SluiceHandle.Open(path, new SluiceOptions
        {
            Access = FileAccess.ReadWrite,
            Engine = Engine(engine),
            Caching = caching,
        }))
        {
            int pins = 0;

            // On another thread, too: what it waits for is nobody's who pins.
            using ActingMemory memory = new(Content, () =>
            {
                handle.Write([7], (10 * Block) + 1);
                Thread thread = new(() => handle.Write([8], (10 * Block) + 3));
                thread.Start();
                thread.Join();
                pins++;
            });
            await Watchdog.EndsAsync(
                () =>
                {
                    handle.WriteBatch(
                        [.. Enumerable.Range(0, 4).Select(i => new WriteRequest(i * Block, i % 2 == 0 ? Content : memory.Memory))]);
                    return Task.CompletedTask;
                },
                "a batch");
            bool isPinned = engine == "own" && handle.Caching == FileCaching.Direct && SluiceEngines.UringReason is null;
            pins.ShouldBe(isPinned ? 2 : 0);
            byte[] written = File.ReadAllBytes(path);
            (written[(10 * Block) + 1], written[(10 * Block) + 3]).ShouldBe(isPinned ? ((byte)7, (byte)8) : ((byte)0, (byte)0));
            written.AsSpan(0, 4 * Block).ToArray().ShouldBeBytes([.. Content, .. Content, .. Content, .. Content]);
        }
    }

    private sealed class ActingMemory(byte[] content, Action act) : MemoryManager<byte>
    {
        private readonly Memory<byte> _memory = content.ToArray();

        public override Span<byte> GetSpan() => _memory.Span;

        public override MemoryHandle Pin(int elementIndex = 0)
        {
            act();
            return _memory[elementIndex..].Pin();
        }

        public override void Unpin()
        {
        }

        public void Dispose() => ((IDisposable)this).Dispose();

        protected override void Dispose(bool disposing)
        {
        }
    }
}
