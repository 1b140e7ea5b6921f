using Xunit.Abstractions;

namespace Sluice.Labs;

/// <summary>The options of tests/fast.runsettings; in addition, tests run one at a time.</summary>
internal sealed class RunOptions : ITestFrameworkDiscoveryOptions, ITestFrameworkExecutionOptions
{
    private readonly Dictionary<string, object?> _values = new()
    {
        ["xunit.discovery.PreEnumerateTheories"] = false,
        ["xunit.execution.DisableParallelization"] = true,
        ["xunit.execution.SynchronousMessageReporting"] = true,
    };

    public TValue GetValue<TValue>(string name) => _values.TryGetValue(name, out object? value) ? (TValue)value! : default!;

    public void SetValue<TValue>(string name, TValue value) => _values[name] = value;
}
