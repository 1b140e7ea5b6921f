namespace Sluice.Hostile.Tests.Storms;

/// <summary>
/// Memory of one transfer: an array's middle, aligned memory, or memory of a manager that may throw. What lies around it is looked at when
/// the transfer has ended.
/// </summary>
internal sealed class StormMemory
{
    private const int Guard = 64;
    private const byte GuardByte = 0xC3;

    private readonly byte[] _before;
    private readonly byte[]? _array;
    private readonly HostileMemory? _hostile;

    public StormMemory(Random random, Countdown countdown, byte[] content, long at)
    {
        _before = content;
        At = at;
        switch (random.Next(3))
        {
            case 0:
                _array = new byte[content.Length + (2 * Guard)];
                _array.AsSpan().Fill(GuardByte);
                Memory = _array.AsMemory(Guard, content.Length);
                content.CopyTo(Memory);
                break;
            case 1:
                Memory = Bytes.Pinned(content.Length);
                content.CopyTo(Memory);
                break;
            default:
                _hostile = new HostileMemory(countdown, content);
                Memory = _hostile.Memory;
                break;
        }
    }

    /// <summary>Where in the file.</summary>
    public long At { get; }

    public int Length => _before.Length;

    public Memory<byte> Memory { get; }

    /// <summary>What was in it at first.</summary>
    public ReadOnlySpan<byte> Before => _before;

    /// <summary>What is in it, without asking a manager.</summary>
    public Span<byte> Content => _hostile is null ? Memory.Span : _hostile.Content;

    /// <summary>The transfer has ended: nobody has a pin, and nothing was written beside the memory.</summary>
    public void Close()
    {
        _hostile?.Close();
        if (_array is not null)
        {
            _array.AsSpan(0, Guard).ContainsAnyExcept(GuardByte).ShouldBeFalse("written in front of the memory");
            _array.AsSpan(_array.Length - Guard).ContainsAnyExcept(GuardByte).ShouldBeFalse("written behind the memory");
        }
    }
}
