using Xunit.Abstractions;

namespace Sluice.Tests.Streams;

// The pool, plugged in.
// With SLUICE_ENGINE=pool what is plugged in and what the pool does are one, so .ci/run has them with rings only. A buffer of one byte
// is none, as one of no byte: the tests of the process's own engine have both.
[Trait("Runs", "once")]
public sealed class StreamPoolCachedAdaptiveSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: false, FileCaching.Cached, "pool");

[Trait("Runs", "once")]
public sealed class StreamPoolCachedAdaptiveAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: true, FileCaching.Cached, "pool");

[Trait("Runs", "once")]
public sealed class StreamPoolCachedUnbufferedSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: false, FileCaching.Cached, "pool");

[Trait("Runs", "once")]
public sealed class StreamPoolCachedUnbufferedAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: true, FileCaching.Cached, "pool");

[Trait("Runs", "once")]
public sealed class StreamPoolCachedBuffer4096SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: false, FileCaching.Cached, "pool");

[Trait("Runs", "once")]
public sealed class StreamPoolCachedBuffer4096AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: true, FileCaching.Cached, "pool");

[Trait("Runs", "once")]
public sealed class StreamPoolUncachedAdaptiveSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: false, FileCaching.Uncached, "pool");

[Trait("Runs", "once")]
public sealed class StreamPoolUncachedAdaptiveAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: true, FileCaching.Uncached, "pool");

[Trait("Runs", "once")]
public sealed class StreamPoolUncachedUnbufferedSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: false, FileCaching.Uncached, "pool");

[Trait("Runs", "once")]
public sealed class StreamPoolUncachedUnbufferedAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: true, FileCaching.Uncached, "pool");

[Trait("Runs", "once")]
public sealed class StreamPoolUncachedBuffer4096SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: false, FileCaching.Uncached, "pool");

[Trait("Runs", "once")]
public sealed class StreamPoolUncachedBuffer4096AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: true, FileCaching.Uncached, "pool");

[Trait("Runs", "once")]
public sealed class StreamPoolDirectAdaptiveSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: false, FileCaching.Direct, "pool");

[Trait("Runs", "once")]
public sealed class StreamPoolDirectAdaptiveAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: true, FileCaching.Direct, "pool");

[Trait("Runs", "once")]
public sealed class StreamPoolDirectUnbufferedSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: false, FileCaching.Direct, "pool");

[Trait("Runs", "once")]
public sealed class StreamPoolDirectUnbufferedAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: true, FileCaching.Direct, "pool");

[Trait("Runs", "once")]
public sealed class StreamPoolDirectBuffer4096SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: false, FileCaching.Direct, "pool");

[Trait("Runs", "once")]
public sealed class StreamPoolDirectBuffer4096AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: true, FileCaching.Direct, "pool");
