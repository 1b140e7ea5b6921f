using System.IO.Pipelines;
using Sluice.Sequential;

namespace Sluice;

// The writer as a stream or a pipe.
public sealed partial class SluiceWriter
{
    /// <summary>Returns a write-only <see cref="Stream"/> over this writer.</summary>
    /// <returns>
    /// A stream that owns the writer: closing the stream completes the file and closes the writer. Flushing the stream calls
    /// <see cref="Flush"/>.
    /// </returns>
    /// <remarks>After this call, do not call members of the writer.</remarks>
    public Stream AsStream() => new SluiceWriterStream(this);

    /// <summary>Returns a <see cref="PipeWriter"/> over this writer.</summary>
    /// <returns>
    /// A pipe writer that owns the writer: completing it completes the file and closes the writer. It is the pipe writer of
    /// <see cref="PipeWriter.Create(Stream, StreamPipeWriterOptions?)"/>, with buffers of 64 KiB. Flushing it calls
    /// <see cref="FlushAsync"/>.
    /// </returns>
    /// <remarks>
    /// If the pipe writer is completed with an exception, data that was not flushed is not written. After this call, do not call members of
    /// the writer.
    /// </remarks>
    public PipeWriter AsPipeWriter() =>
        PipeWriter.Create(AsStream(), new StreamPipeWriterOptions(minimumBufferSize: SluiceReader.PipeBufferBytes));
}
