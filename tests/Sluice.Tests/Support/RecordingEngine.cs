using System.Collections.Concurrent;
using Sluice.Engines;

namespace Sluice.Tests.Support;

/// <summary>The pool's engine, with a list of what passed through it.</summary>
internal sealed class RecordingEngine : IoEngine
{
    public ConcurrentQueue<(bool IsRead, long Offset, int Length)> Transfers { get; } = new();

    public override string Name => "recording";

    internal override bool BlocksThreads => ThreadPoolEngine.Instance.BlocksThreads;

    internal override void Submit(IoOperation operation)
    {
        Transfers.Enqueue((operation.IsRead, operation.FileOffset, operation.Length));
        ThreadPoolEngine.Instance.Submit(operation);
    }
}
