using System.IO.Pipelines;
using Sluice.Sequential;

namespace Sluice;

/// <summary>The writer as a pipe.</summary>
public sealed partial class SluiceWriter
{
    /// <summary>
    /// The writer as a <see cref="PipeWriter"/> that lends the writer's own blocks. Its flush waits while as many writes are in flight as the
    /// device can use; the last, partly filled block is written when the pipe is completed, which also closes the writer.
    /// </summary>
    public PipeWriter AsPipeWriter() => new SluicePipeWriter(this);
}
