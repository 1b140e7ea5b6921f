using System.Buffers;
using System.Runtime.InteropServices;

namespace Sluice.Hostile.Tests.Support;

/// <summary>Native memory, between guards, whose every member throws when its turn has come. Counts its pins.</summary>
internal sealed unsafe class HostileMemory : MemoryManager<byte>
{
    private const int Guard = 64;
    private const byte GuardByte = 0xD7;

    private readonly Countdown _countdown;
    private readonly byte* _memory;
    private readonly int _length;
    private int _pins;

    public HostileMemory(Countdown countdown, ReadOnlySpan<byte> content)
    {
        _countdown = countdown;
        _length = content.Length;
        _memory = (byte*)NativeMemory.Alloc((nuint)(_length + (2 * Guard)));
        new Span<byte>(_memory, _length + (2 * Guard)).Fill(GuardByte);
        content.CopyTo(Content);
    }

    /// <summary>What is in it, without asking the manager.</summary>
    public Span<byte> Content => new(_memory + Guard, _length);

    /// <summary>Memory that asks this manager for everything.</summary>
    public new Memory<byte> Memory => CreateMemory(_length);

    public override Span<byte> GetSpan() => _countdown.Hit(0) == 0 ? Content : default;

    public override MemoryHandle Pin(int elementIndex = 0)
    {
        _countdown.Hit();
        _ = Interlocked.Increment(ref _pins);
        return new MemoryHandle(_memory + Guard + elementIndex, pinnable: this);
    }

    public override void Unpin()
    {
        _ = Interlocked.Decrement(ref _pins);
        _countdown.Hit();
    }

    /// <summary>Nobody has a pin any more, and nothing was written beside the memory. Frees it.</summary>
    public void Close()
    {
        Volatile.Read(ref _pins).ShouldBe(0, "pins that were not given back");
        new Span<byte>(_memory, Guard).ContainsAnyExcept(GuardByte).ShouldBeFalse("written in front of the memory");
        new Span<byte>(_memory + Guard + _length, Guard).ContainsAnyExcept(GuardByte).ShouldBeFalse("written behind the memory");
        ((IDisposable)this).Dispose();
    }

    protected override void Dispose(bool disposing) => NativeMemory.Free(_memory);
}
