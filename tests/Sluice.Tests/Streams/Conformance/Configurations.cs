using Xunit.Abstractions;

namespace Sluice.Tests.Streams;

// Each pair of engine, caching, buffer size and sync/async occurs at least once.
// With SLUICE_ENGINE=pool the plugged-in engine is the pool, which "Runs: once" says.

// The engine that SLUICE_ENGINE selects, inline calls included.
public sealed class StreamOwnCachedAdaptiveSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: false, FileCaching.Cached, "own");

public sealed class StreamOwnCachedAdaptiveAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: true, FileCaching.Cached, "own");

public sealed class StreamOwnDirectAdaptiveSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: false, FileCaching.Direct, "own");

public sealed class StreamOwnDirectAdaptiveAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: true, FileCaching.Direct, "own");

public sealed class StreamOwnUncachedUnbufferedSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: false, FileCaching.Uncached, "own");

public sealed class StreamOwnDirectBuffer4096AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: true, FileCaching.Direct, "own");

public sealed class StreamOwnCachedBuffer1AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 1, isAsync: true, FileCaching.Cached, "own");

// The same engine set by SluiceOptions.Engine, so that no transfer is an inline call.
[Trait("Runs", "once")]
public sealed class StreamPluggedUncachedAdaptiveAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: true, FileCaching.Uncached, "plugged");

[Trait("Runs", "once")]
public sealed class StreamPluggedDirectUnbufferedAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: true, FileCaching.Direct, "plugged");

[Trait("Runs", "once")]
public sealed class StreamPluggedCachedBuffer4096SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: false, FileCaching.Cached, "plugged");

[Trait("Runs", "once")]
public sealed class StreamPluggedUncachedBuffer1SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 1, isAsync: false, FileCaching.Uncached, "plugged");

// The thread-pool engine set by SluiceOptions.Engine.
[Trait("Runs", "once")]
public sealed class StreamPoolDirectAdaptiveSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: false, FileCaching.Direct, "pool");

[Trait("Runs", "once")]
public sealed class StreamPoolCachedUnbufferedSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: false, FileCaching.Cached, "pool");

[Trait("Runs", "once")]
public sealed class StreamPoolUncachedBuffer4096AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: true, FileCaching.Uncached, "pool");

[Trait("Runs", "once")]
public sealed class StreamPoolDirectBuffer1AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 1, isAsync: true, FileCaching.Direct, "pool");

// An engine that shortens, delays, reorders and interrupts transfers.
public sealed class StreamFaultyCachedAdaptiveAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: true, FileCaching.Cached, "faulty");

public sealed class StreamFaultyUncachedUnbufferedAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: true, FileCaching.Uncached, "faulty");

public sealed class StreamFaultyDirectBuffer4096SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: false, FileCaching.Direct, "faulty");

public sealed class StreamFaultyCachedBuffer1SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 1, isAsync: false, FileCaching.Cached, "faulty");

// The FileStream that AsFileStream returns.
public sealed class StreamAsFileStreamUncachedAdaptiveSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: false, FileCaching.Uncached, StreamConfiguration.AsFileStream);

public sealed class StreamAsFileStreamDirectUnbufferedSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: false, FileCaching.Direct, StreamConfiguration.AsFileStream);

public sealed class StreamAsFileStreamCachedBuffer4096AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: true, FileCaching.Cached, StreamConfiguration.AsFileStream);

public sealed class StreamAsFileStreamUncachedBuffer1AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 1, isAsync: true, FileCaching.Uncached, StreamConfiguration.AsFileStream);
