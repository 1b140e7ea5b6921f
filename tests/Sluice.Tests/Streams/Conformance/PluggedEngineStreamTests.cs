using Xunit.Abstractions;

namespace Sluice.Tests.Streams;

// The process's own engine plugged in, so that every transfer takes the long way.
public sealed class StreamPluggedCachedAdaptiveSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: false, FileCaching.Cached, "plugged");

public sealed class StreamPluggedCachedAdaptiveAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: true, FileCaching.Cached, "plugged");

public sealed class StreamPluggedCachedUnbufferedSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: false, FileCaching.Cached, "plugged");

public sealed class StreamPluggedCachedUnbufferedAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: true, FileCaching.Cached, "plugged");

public sealed class StreamPluggedCachedBuffer1SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 1, isAsync: false, FileCaching.Cached, "plugged");

public sealed class StreamPluggedCachedBuffer1AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 1, isAsync: true, FileCaching.Cached, "plugged");

public sealed class StreamPluggedCachedBuffer4096SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: false, FileCaching.Cached, "plugged");

public sealed class StreamPluggedCachedBuffer4096AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: true, FileCaching.Cached, "plugged");

public sealed class StreamPluggedUncachedAdaptiveSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: false, FileCaching.Uncached, "plugged");

public sealed class StreamPluggedUncachedAdaptiveAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: true, FileCaching.Uncached, "plugged");

public sealed class StreamPluggedUncachedUnbufferedSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: false, FileCaching.Uncached, "plugged");

public sealed class StreamPluggedUncachedUnbufferedAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: true, FileCaching.Uncached, "plugged");

public sealed class StreamPluggedUncachedBuffer1SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 1, isAsync: false, FileCaching.Uncached, "plugged");

public sealed class StreamPluggedUncachedBuffer1AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 1, isAsync: true, FileCaching.Uncached, "plugged");

public sealed class StreamPluggedUncachedBuffer4096SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: false, FileCaching.Uncached, "plugged");

public sealed class StreamPluggedUncachedBuffer4096AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: true, FileCaching.Uncached, "plugged");

public sealed class StreamPluggedDirectAdaptiveSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: false, FileCaching.Direct, "plugged");

public sealed class StreamPluggedDirectAdaptiveAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: true, FileCaching.Direct, "plugged");

public sealed class StreamPluggedDirectUnbufferedSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: false, FileCaching.Direct, "plugged");

public sealed class StreamPluggedDirectUnbufferedAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: true, FileCaching.Direct, "plugged");

public sealed class StreamPluggedDirectBuffer1SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 1, isAsync: false, FileCaching.Direct, "plugged");

public sealed class StreamPluggedDirectBuffer1AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 1, isAsync: true, FileCaching.Direct, "plugged");

public sealed class StreamPluggedDirectBuffer4096SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: false, FileCaching.Direct, "plugged");

public sealed class StreamPluggedDirectBuffer4096AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: true, FileCaching.Direct, "plugged");
