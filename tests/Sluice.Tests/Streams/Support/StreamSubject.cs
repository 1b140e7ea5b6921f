using Microsoft.Win32.SafeHandles;

namespace Sluice.Tests.Streams;

/// <summary>A stream under test, with the members that <see cref="FileStream"/> has beside those of
/// <see cref="System.IO.Stream"/>.</summary>
internal abstract class StreamSubject(Stream stream)
{
    public Stream Stream { get; } = stream;

    public abstract string Name { get; }

    public abstract bool IsAsync { get; }

    public abstract SafeFileHandle Handle { get; }

    public abstract void Flush(bool flushToDisk);

    public abstract void Lock(long position, long length);

    public abstract void Unlock(long position, long length);

    /// <summary>One byte, or -1 at the end of the file.</summary>
    public abstract ValueTask<int> ReadByteAsync();

    public abstract ValueTask WriteByteAsync(byte value);
}
