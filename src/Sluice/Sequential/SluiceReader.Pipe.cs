using System.IO.Pipelines;
using Sluice.Sequential;

namespace Sluice;

// The reader as a stream or a pipe.
public sealed partial class SluiceReader
{
    /// <summary>The size of the buffers of a pipe over a reader or a writer, in bytes.</summary>
    internal const int PipeBufferBytes = 64 * 1024;

    /// <summary>Returns a read-only <see cref="Stream"/> over the rest of the file. The stream has no buffer of its own.</summary>
    /// <returns>
    /// A stream that owns the reader: closing the stream closes the reader. It supports seeking if the file does.
    /// </returns>
    /// <remarks>After this call, do not call members of the reader.</remarks>
    public Stream AsStream() => new SluiceReaderStream(this);

    /// <summary>Returns a <see cref="PipeReader"/> over the rest of the file.</summary>
    /// <returns>
    /// A pipe reader that owns the reader: completing it closes the reader. It is the pipe reader of
    /// <see cref="PipeReader.Create(Stream, StreamPipeReaderOptions?)"/>, with buffers of 64 KiB.
    /// </returns>
    /// <remarks>After this call, do not call members of the reader.</remarks>
    public PipeReader AsPipeReader() => PipeReader.Create(AsStream(), new StreamPipeReaderOptions(bufferSize: PipeBufferBytes));
}
