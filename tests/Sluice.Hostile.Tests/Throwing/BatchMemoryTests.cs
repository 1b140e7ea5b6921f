using System.Buffers;

namespace Sluice.Hostile.Tests.Throwing;

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

    /// <summary>More requests than one submission of a ring takes: what one of them throws stops none of the others.</summary>
    [Theory]
    [MemberData(nameof(Cases))]
    public void What_the_memory_of_one_request_throws_is_the_error_of_that_one(string engine, FileCaching caching)
    {
        const int count = 300;
        byte[] content = Bytes.Pattern(count * Block);
        string path = Temp.NewFile(content);
        using SluiceHandle handle = SluiceHandle.Open(path, new SluiceOptions
        {
            Access = FileAccess.ReadWrite,
            Engine = Engine(engine),
            Caching = caching,
        });
        foreach (int at in (int[])[1, 2, 3, 4])
        {
            foreach (int place in (int[])[0, 100, 255, 256, count - 1])
            {
                Countdown countdown = new(at, ThrownKind.Ordinary);
                HostileMemory memory = new(countdown, content.AsSpan(place * Block, Block));
                ReadRequest[] reads = [.. Enumerable.Range(0, count).Select(
                    i => new ReadRequest(i * Block, i == place ? memory.Memory : new byte[Block]))];
                Exception? error = Record.Exception(() => handle.ReadBatch(reads));
                (error is not null).ShouldBe(countdown.HasThrown);
                for (int i = 0; i < count; i++)
                {
                    if (i == place && countdown.HasThrown)
                    {
                        countdown.ShouldBeThrown(reads[i].Error!);
                        continue;
                    }

                    reads[i].Error.ShouldBeNull($"call {at}, {place} throws, {i} does not");
                    reads[i].BytesRead.ShouldBe(Block);
                    (i == place ? memory.Content : reads[i].Buffer.Span).SequenceEqual(content.AsSpan(i * Block, Block)).ShouldBeTrue();
                }

                memory.Close();
                countdown = new Countdown(at, ThrownKind.Ordinary);
                byte[] other = Bytes.Pattern(count * Block, at + place);
                memory = new HostileMemory(countdown, other.AsSpan(place * Block, Block));
                WriteRequest[] writes = [.. Enumerable.Range(0, count).Select(
                    i => new WriteRequest(i * Block, i == place ? memory.Memory : other.AsMemory(i * Block, Block)))];
                error = Record.Exception(() => handle.WriteBatch(writes));
                (error is not null).ShouldBe(countdown.HasThrown);
                byte[] written = File.ReadAllBytes(path);
                for (int i = 0; i < count; i++)
                {
                    if (i != place || !countdown.HasThrown)
                    {
                        writes[i].Error.ShouldBeNull($"call {at}, {place} throws, {i} does not");
                        written.AsSpan(i * Block, Block).SequenceEqual(other.AsSpan(i * Block, Block)).ShouldBeTrue();
                    }
                }

                memory.Close();
                File.WriteAllBytes(path, content);
            }
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
