using System.IO.Compression;
using Sluice.Tests.Shared;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>
/// From one system call on all of them fail, as where a device is gone. Whatever comes of it is an error of the system's, and no file stays
/// open when the log is closed: else nobody could unmount its file system.
/// </summary>
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class EndedFileSystemTests : IDisposable
{
    private const int EIO = 5;

    public void Dispose() => SystemCallFaults.Use(null);

    [SkippableTheory]
    [InlineData("opened")]
    [InlineData("read")]
    [InlineData("framed")]
    [InlineData("raw")]
    public void No_file_stays_open_whichever_call_is_the_last_that_succeeds(string what)
    {
        Linux.OrSkip();
        int calls = int.MaxValue;
        for (int step = 0; calls > step; step++)
        {
            using TempFolder folder = new(isInMemory: true);
            if (what is "opened" or "read")
            {
                Fill(folder, LogFormat.Framed);
            }

            calls = 0;
            SystemCallFaults.Use((call, _, _) =>
                call is not ("futex" or "getrandom" or "close") && Interlocked.Increment(ref calls) > step ? -EIO : 0);
            Exception? error = Record.Exception(() =>
            {
                switch (what)
                {
                    case "opened":
                        folder.Open(Options(LogFormat.Framed)).Dispose();
                        break;
                    case "read":
                        _ = folder.ReadWritten();
                        break;
                    default:
                        Fill(folder, what == "raw" ? LogFormat.Raw : LogFormat.Framed);
                        break;
                }
            });
            SystemCallFaults.Use(null);
            OpenFiles.Of(folder.Root).ShouldBeEmpty($"step {step}: {error}");
            (error is null or IOException or UnauthorizedAccessException).ShouldBeTrue($"step {step}: {error}");
            (error?.Message ?? "").ShouldNotContain("moved away");
        }
    }

    private static SluiceLogOptions Options(LogFormat format) => SmallLog.With(o =>
    {
        o.Format = format;
        o.Compression = format == LogFormat.Raw ? CompressionLevel.Fastest : CompressionLevel.NoCompression;
        o.RetainSegments = 3;
        o.FlushInterval = TimeSpan.FromHours(1);
    });

    private static void Fill(TempFolder folder, LogFormat format)
    {
        using SluiceLog log = folder.Open(Options(format));
        log.AppendMany(0, 10, 900, LogDurability.Durable);
    }
}
