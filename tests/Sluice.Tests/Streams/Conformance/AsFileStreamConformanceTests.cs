using Xunit.Abstractions;

namespace Sluice.Tests.Streams;

// The FileStream that a stream can be; what a FileStream has no member for is asked of the stream itself.
public sealed class StreamAsFileStreamCachedAdaptiveSyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: false, FileCaching.Cached, StreamConfiguration.AsFileStream);

public sealed class StreamAsFileStreamCachedAdaptiveAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: true, FileCaching.Cached, StreamConfiguration.AsFileStream);

public sealed class StreamAsFileStreamCachedUnbufferedAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 0, isAsync: true, FileCaching.Cached, StreamConfiguration.AsFileStream);

public sealed class StreamAsFileStreamCachedBuffer4096SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: false, FileCaching.Cached, StreamConfiguration.AsFileStream);

public sealed class StreamAsFileStreamUncachedAdaptiveAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: true, FileCaching.Uncached, StreamConfiguration.AsFileStream);

public sealed class StreamAsFileStreamDirectAdaptiveAsyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, SluiceOptions.Adaptive, isAsync: true, FileCaching.Direct, StreamConfiguration.AsFileStream);

public sealed class StreamAsFileStreamDirectBuffer4096SyncTests(ITestOutputHelper output)
    : SluiceStreamConformance(output, 4096, isAsync: false, FileCaching.Direct, StreamConfiguration.AsFileStream);
