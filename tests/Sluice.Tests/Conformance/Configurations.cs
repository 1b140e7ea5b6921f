using Sluice.Testing;
using Sluice.Tests.Model;
using Xunit.Abstractions;

namespace Sluice.Tests.Conformance;

// "Own" is what SLUICE_ENGINE chooses, inline shortcuts included; the others are plugged in, so that every transfer takes the long way.
// Uncached transfers differ from cached ones by a flag of the call: one class has them.
// With SLUICE_ENGINE=pool what is plugged in and what the pool does are one: .ci/run has what runs "once" with rings only.
public sealed class OwnEngineCachedTests(ITestOutputHelper output) : SluiceHandleConformance(output, FileCaching.Cached, null);

public sealed class OwnEngineUncachedTests(ITestOutputHelper output) : SluiceHandleConformance(output, FileCaching.Uncached, null);

public sealed class OwnEngineDirectTests(ITestOutputHelper output) : SluiceHandleConformance(output, FileCaching.Direct, null);

[Trait("Runs", "once")]
public sealed class PluggedEngineDirectTests(ITestOutputHelper output)
    : SluiceHandleConformance(output, FileCaching.Direct, SluiceEngines.Default);

[Trait("Runs", "once")]
public sealed class PoolEngineDirectTests(ITestOutputHelper output)
    : SluiceHandleConformance(output, FileCaching.Direct, SluiceEngines.Pool);

public sealed class FaultyEngineCachedTests(ITestOutputHelper output)
    : SluiceHandleConformance(output, FileCaching.Cached, new FaultyEngine(ModelProgram.HarmlessFaults(101)));

public sealed class FaultyEngineDirectTests(ITestOutputHelper output)
    : SluiceHandleConformance(output, FileCaching.Direct, new FaultyEngine(ModelProgram.HarmlessFaults(103)));
