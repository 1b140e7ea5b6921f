using System.Buffers;
using System.Runtime.InteropServices;

namespace Sluice.Tests.Support;

/// <summary>Native memory that counts its pins, and can be told to refuse the next one.</summary>
internal sealed unsafe class CountingMemory : MemoryManager<byte>
{
    private readonly byte* _memory;
    private readonly int _length;
    private int _pins;

    public CountingMemory(int length)
    {
        _memory = (byte*)NativeMemory.AllocZeroed((nuint)Math.Max(length, 1));
        _length = length;
    }

    /// <summary>Pins that have not been given back.</summary>
    public int Pins => Volatile.Read(ref _pins);

    public bool RefusesPins { get; set; }

    public bool RefusesUnpins { get; set; }

    public bool RefusesSpans { get; set; }

    public override Span<byte> GetSpan() =>
        RefusesSpans ? throw new InvalidTimeZoneException("this memory refuses to be seen") : new(_memory, _length);

    public override MemoryHandle Pin(int elementIndex = 0)
    {
        if (RefusesPins)
        {
            throw new InvalidTimeZoneException("this memory refuses to be pinned");
        }

        Interlocked.Increment(ref _pins);
        return new MemoryHandle(_memory + elementIndex, pinnable: this);
    }

    public override void Unpin()
    {
        Interlocked.Decrement(ref _pins);
        if (RefusesUnpins)
        {
            throw new InvalidTimeZoneException("this memory refuses to be unpinned");
        }
    }

    protected override void Dispose(bool disposing) => NativeMemory.Free(_memory);

    public void Dispose() => ((IDisposable)this).Dispose();
}
