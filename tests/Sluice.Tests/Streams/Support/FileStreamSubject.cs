using Microsoft.Win32.SafeHandles;

namespace Sluice.Tests.Streams;

/// <summary>.NET's stream: what it does on this machine is the specification.</summary>
internal sealed class FileStreamSubject(FileStream stream) : StreamSubject(stream)
{
    public override string Name => stream.Name;

    public override bool IsAsync => stream.IsAsync;

    public override SafeFileHandle Handle => stream.SafeFileHandle;

    public override void Flush(bool flushToDisk) => stream.Flush(flushToDisk);

    [System.Diagnostics.CodeAnalysis.SuppressMessage("Interoperability", "CA1416", Justification = "The tests run on Linux and Windows.")]
    public override void Lock(long position, long length) => stream.Lock(position, length);

    [System.Diagnostics.CodeAnalysis.SuppressMessage("Interoperability", "CA1416", Justification = "The tests run on Linux and Windows.")]
    public override void Unlock(long position, long length) => stream.Unlock(position, length);

    public override ValueTask<int> ReadByteAsync() => new(stream.ReadByte());

    public override ValueTask WriteByteAsync(byte value)
    {
        stream.WriteByte(value);
        return default;
    }
}
