using Microsoft.Win32.SafeHandles;

namespace Sluice.Tests.Streams;

/// <summary>Sluice's stream.</summary>
internal sealed class SluiceStreamSubject(SluiceStream stream) : StreamSubject(stream)
{
    public override string Name => stream.Name;

    public override bool IsAsync => stream.IsAsync;

    public override SafeFileHandle Handle => stream.SafeFileHandle;

    public override void Flush(bool flushToDisk) => stream.Flush(flushToDisk);

    [System.Diagnostics.CodeAnalysis.SuppressMessage("Interoperability", "CA1416", Justification = "The tests run on Linux and Windows.")]
    public override void Lock(long position, long length) => stream.Lock(position, length);

    [System.Diagnostics.CodeAnalysis.SuppressMessage("Interoperability", "CA1416", Justification = "The tests run on Linux and Windows.")]
    public override void Unlock(long position, long length) => stream.Unlock(position, length);

    public override ValueTask<int> ReadByteAsync() => stream.ReadByteAsync();

    public override ValueTask WriteByteAsync(byte value) => stream.WriteByteAsync(value);
}
