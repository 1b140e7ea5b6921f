using System.Collections.Concurrent;
using Sluice.Engines;

namespace Sluice.Tests.Support;

/// <summary>An engine whose operations end when the test says so.</summary>
internal sealed class ManualEngine : IoEngine
{
    public ConcurrentQueue<IoOperation> Submitted { get; } = new();

    public override string Name => "manual";

    internal override void Submit(IoOperation operation) => Submitted.Enqueue(operation);

    /// <summary>Takes the oldest operation that has been submitted.</summary>
    public IoOperation Take() =>
        Submitted.TryDequeue(out IoOperation? operation) ? operation : throw new InvalidOperationException("nothing was submitted");

    public void Complete(int result) => Take().Complete(result);
}
