using Xunit.Abstractions;

namespace Sluice.Tests.Streams;

// The process's own engine plugged in, so that every transfer takes the long way.
// With SLUICE_ENGINE=pool what is plugged in and what the pool does are one, so .ci/run has them with rings only. A buffer of one byte
// is none, as one of no byte: the tests of the process's own engine have both.
[Trait("Runs", "once")]
public sealed class StreamPluggedCachedAdaptiveSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: false, FileCaching.Cached, "plugged");

[Trait("Runs", "once")]
public sealed class StreamPluggedCachedAdaptiveAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: true, FileCaching.Cached, "plugged");

[Trait("Runs", "once")]
public sealed class StreamPluggedCachedUnbufferedSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: false, FileCaching.Cached, "plugged");

[Trait("Runs", "once")]
public sealed class StreamPluggedCachedUnbufferedAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: true, FileCaching.Cached, "plugged");

[Trait("Runs", "once")]
public sealed class StreamPluggedCachedBuffer4096SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: false, FileCaching.Cached, "plugged");

[Trait("Runs", "once")]
public sealed class StreamPluggedCachedBuffer4096AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: true, FileCaching.Cached, "plugged");

[Trait("Runs", "once")]
public sealed class StreamPluggedUncachedAdaptiveSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: false, FileCaching.Uncached, "plugged");

[Trait("Runs", "once")]
public sealed class StreamPluggedUncachedAdaptiveAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: true, FileCaching.Uncached, "plugged");

[Trait("Runs", "once")]
public sealed class StreamPluggedUncachedUnbufferedSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: false, FileCaching.Uncached, "plugged");

[Trait("Runs", "once")]
public sealed class StreamPluggedUncachedUnbufferedAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: true, FileCaching.Uncached, "plugged");

[Trait("Runs", "once")]
public sealed class StreamPluggedUncachedBuffer4096SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: false, FileCaching.Uncached, "plugged");

[Trait("Runs", "once")]
public sealed class StreamPluggedUncachedBuffer4096AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: true, FileCaching.Uncached, "plugged");

[Trait("Runs", "once")]
public sealed class StreamPluggedDirectAdaptiveSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: false, FileCaching.Direct, "plugged");

[Trait("Runs", "once")]
public sealed class StreamPluggedDirectAdaptiveAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: true, FileCaching.Direct, "plugged");

[Trait("Runs", "once")]
public sealed class StreamPluggedDirectUnbufferedSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: false, FileCaching.Direct, "plugged");

[Trait("Runs", "once")]
public sealed class StreamPluggedDirectUnbufferedAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: true, FileCaching.Direct, "plugged");

[Trait("Runs", "once")]
public sealed class StreamPluggedDirectBuffer4096SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: false, FileCaching.Direct, "plugged");

[Trait("Runs", "once")]
public sealed class StreamPluggedDirectBuffer4096AsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: true, FileCaching.Direct, "plugged");
