using System.IO.Pipes;

namespace Sluice.Uring.Tests.Support;

/// <summary>An anonymous pipe: a read of it stays in flight until the test writes.</summary>
internal sealed class Pipe : IDisposable
{
    private readonly AnonymousPipeServerStream _writer = new(PipeDirection.Out);

    public int ReadDescriptor => (int)_writer.ClientSafePipeHandle.DangerousGetHandle();

    public void Write(params byte[] bytes)
    {
        _writer.Write(bytes);
        _writer.Flush();
    }

    public int ReadByte()
    {
        using AnonymousPipeClientStream reader = new(PipeDirection.In, _writer.ClientSafePipeHandle);
        return reader.ReadByte();
    }

    public void Dispose() => _writer.Dispose();
}
