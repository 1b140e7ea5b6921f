using Xunit.Abstractions;

namespace Sluice.Tests.Streams;

// "own" is what SLUICE_ENGINE chooses, inline shortcuts included.
public sealed class StreamOwnCachedAdaptiveSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: false, FileCaching.Cached, "own");

public sealed class StreamOwnCachedAdaptiveAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: true, FileCaching.Cached, "own");

public sealed class StreamOwnCachedUnbufferedSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: false, FileCaching.Cached, "own");

public sealed class StreamOwnCachedUnbufferedAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: true, FileCaching.Cached, "own");

public sealed class StreamOwnCachedBuffer1SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 1, isAsync: false, FileCaching.Cached, "own");

public sealed class StreamOwnCachedBuffer1AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 1, isAsync: true, FileCaching.Cached, "own");

public sealed class StreamOwnCachedBuffer4096SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: false, FileCaching.Cached, "own");

public sealed class StreamOwnCachedBuffer4096AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: true, FileCaching.Cached, "own");

public sealed class StreamOwnUncachedAdaptiveSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: false, FileCaching.Uncached, "own");

public sealed class StreamOwnUncachedAdaptiveAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: true, FileCaching.Uncached, "own");

public sealed class StreamOwnUncachedUnbufferedSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: false, FileCaching.Uncached, "own");

public sealed class StreamOwnUncachedUnbufferedAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: true, FileCaching.Uncached, "own");

public sealed class StreamOwnUncachedBuffer1SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 1, isAsync: false, FileCaching.Uncached, "own");

public sealed class StreamOwnUncachedBuffer1AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 1, isAsync: true, FileCaching.Uncached, "own");

public sealed class StreamOwnUncachedBuffer4096SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: false, FileCaching.Uncached, "own");

public sealed class StreamOwnUncachedBuffer4096AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: true, FileCaching.Uncached, "own");

public sealed class StreamOwnDirectAdaptiveSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: false, FileCaching.Direct, "own");

public sealed class StreamOwnDirectAdaptiveAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: true, FileCaching.Direct, "own");

public sealed class StreamOwnDirectUnbufferedSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: false, FileCaching.Direct, "own");

public sealed class StreamOwnDirectUnbufferedAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: true, FileCaching.Direct, "own");

public sealed class StreamOwnDirectBuffer1SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 1, isAsync: false, FileCaching.Direct, "own");

public sealed class StreamOwnDirectBuffer1AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 1, isAsync: true, FileCaching.Direct, "own");

public sealed class StreamOwnDirectBuffer4096SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: false, FileCaching.Direct, "own");

public sealed class StreamOwnDirectBuffer4096AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: true, FileCaching.Direct, "own");
