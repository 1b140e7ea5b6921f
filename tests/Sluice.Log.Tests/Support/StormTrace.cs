namespace Sluice.Log.Tests.Support;

/// <summary>What happened in a storm, in the order in which it did; from any thread.</summary>
internal sealed class StormTrace
{
    private readonly List<string> _lines = [];
    private readonly long _startMs = Environment.TickCount64;

    public void Add(string line)
    {
        lock (_lines)
        {
            _lines.Add($"{Environment.TickCount64 - _startMs,6} {line}");
        }
    }

    public override string ToString()
    {
        lock (_lines)
        {
            return string.Join('\n', _lines);
        }
    }
}
