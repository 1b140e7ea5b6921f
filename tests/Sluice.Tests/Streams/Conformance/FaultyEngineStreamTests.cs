using Xunit.Abstractions;

namespace Sluice.Tests.Streams;

// Harmless faults before the process's own engine: short transfers, interruptions, late and reordered completions.
public sealed class StreamFaultyCachedAdaptiveSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: false, FileCaching.Cached, "faulty");

public sealed class StreamFaultyCachedAdaptiveAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: true, FileCaching.Cached, "faulty");

public sealed class StreamFaultyCachedUnbufferedSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: false, FileCaching.Cached, "faulty");

public sealed class StreamFaultyCachedUnbufferedAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: true, FileCaching.Cached, "faulty");

public sealed class StreamFaultyCachedBuffer4096SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: false, FileCaching.Cached, "faulty");

public sealed class StreamFaultyCachedBuffer4096AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: true, FileCaching.Cached, "faulty");

public sealed class StreamFaultyDirectAdaptiveSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: false, FileCaching.Direct, "faulty");

public sealed class StreamFaultyDirectAdaptiveAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: true, FileCaching.Direct, "faulty");

public sealed class StreamFaultyDirectUnbufferedSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: false, FileCaching.Direct, "faulty");

public sealed class StreamFaultyDirectUnbufferedAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: true, FileCaching.Direct, "faulty");

public sealed class StreamFaultyDirectBuffer4096SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: false, FileCaching.Direct, "faulty");

public sealed class StreamFaultyDirectBuffer4096AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: true, FileCaching.Direct, "faulty");
