using System.IO.Pipelines;
using Sluice.Sequential;

namespace Sluice;

// The writer as a stream or a pipe.
public sealed partial class SluiceWriter
{
    /// <summary>
    /// The writer as a <see cref="Stream"/>: its flush is <see cref="Flush"/>; closing it completes and closes the writer.
    /// </summary>
    public Stream AsStream() => new SluiceWriterStream(this);

    /// <summary>
    /// The writer as a <see cref="PipeWriter"/> that lends the writer's own blocks. Its flush is <see cref="FlushAsync"/>; completing it
    /// completes and closes the writer, and with an exception cuts off what was not flushed.
    /// </summary>
    public PipeWriter AsPipeWriter() => new SluicePipeWriter(this);
}
