using Xunit.Abstractions;

namespace Sluice.Tests.Streams;

// The pool, plugged in.
public sealed class StreamPoolCachedAdaptiveSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: false, FileCaching.Cached, "pool");

public sealed class StreamPoolCachedAdaptiveAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: true, FileCaching.Cached, "pool");

public sealed class StreamPoolCachedUnbufferedSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: false, FileCaching.Cached, "pool");

public sealed class StreamPoolCachedUnbufferedAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: true, FileCaching.Cached, "pool");

public sealed class StreamPoolCachedBuffer1SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 1, isAsync: false, FileCaching.Cached, "pool");

public sealed class StreamPoolCachedBuffer1AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 1, isAsync: true, FileCaching.Cached, "pool");

public sealed class StreamPoolCachedBuffer4096SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: false, FileCaching.Cached, "pool");

public sealed class StreamPoolCachedBuffer4096AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: true, FileCaching.Cached, "pool");

public sealed class StreamPoolUncachedAdaptiveSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: false, FileCaching.Uncached, "pool");

public sealed class StreamPoolUncachedAdaptiveAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: true, FileCaching.Uncached, "pool");

public sealed class StreamPoolUncachedUnbufferedSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: false, FileCaching.Uncached, "pool");

public sealed class StreamPoolUncachedUnbufferedAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: true, FileCaching.Uncached, "pool");

public sealed class StreamPoolUncachedBuffer1SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 1, isAsync: false, FileCaching.Uncached, "pool");

public sealed class StreamPoolUncachedBuffer1AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 1, isAsync: true, FileCaching.Uncached, "pool");

public sealed class StreamPoolUncachedBuffer4096SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: false, FileCaching.Uncached, "pool");

public sealed class StreamPoolUncachedBuffer4096AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: true, FileCaching.Uncached, "pool");

public sealed class StreamPoolDirectAdaptiveSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: false, FileCaching.Direct, "pool");

public sealed class StreamPoolDirectAdaptiveAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: true, FileCaching.Direct, "pool");

public sealed class StreamPoolDirectUnbufferedSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: false, FileCaching.Direct, "pool");

public sealed class StreamPoolDirectUnbufferedAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: true, FileCaching.Direct, "pool");

public sealed class StreamPoolDirectBuffer1SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 1, isAsync: false, FileCaching.Direct, "pool");

public sealed class StreamPoolDirectBuffer1AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 1, isAsync: true, FileCaching.Direct, "pool");

public sealed class StreamPoolDirectBuffer4096SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: false, FileCaching.Direct, "pool");

public sealed class StreamPoolDirectBuffer4096AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: true, FileCaching.Direct, "pool");
