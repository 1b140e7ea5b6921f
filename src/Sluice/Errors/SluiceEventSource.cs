using System.Diagnostics.Tracing;

namespace Sluice.Errors;

/// <summary>The event source "Sluice" (docs/metrics.md). It is created by the first event.</summary>
[EventSource(Name = "Sluice")]
internal sealed class SluiceEventSource : EventSource
{
    public static readonly SluiceEventSource Log = new();

    private SluiceEventSource()
    {
    }

    /// <summary>Reports a fallback, once for each reason.</summary>
    [Event(1, Level = EventLevel.Warning, Message = "Fell back ({0}) for {1}: {2}")]
    public void FellBack(string kind, string subject, string reason) => WriteEvent(1, kind, subject, reason);
}
