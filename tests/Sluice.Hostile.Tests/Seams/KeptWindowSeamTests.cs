using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>Which windows of an uncached stream have the device begin with them (decision 0007).</summary>
public sealed class KeptWindowSeamTests : HostileTests
{
    private const int Window = 512;
    private int _past;

    /// <summary>A length is written as zero, then what it counts, then the length: its page must not be on its way to the device.</summary>
    [SkippableTheory]
    [InlineData(SluiceOptions.Adaptive)]
    [InlineData(Window)]
    public void Full_windows_of_a_stream_that_goes_back_to_patch_what_it_wrote_are_kept(int bufferSize)
    {
        using SluiceStream stream = Open(bufferSize);
        byte[] chunk = new byte[3 * Window];
        long end = 0;
        for (int i = 0; i < 40; i++)
        {
            if (i == 4)
            {
                _past = 0;
            }

            stream.Position = end;
            WriteInPieces(stream, [0, 0, 0, 0]);
            WriteInPieces(stream, chunk);
            stream.Position = end;
            stream.Write([1, 2, 3, 4]);
            end += 4 + chunk.Length;
        }

        stream.Flush();
        _past.ShouldBe(0);
    }

    /// <summary>As a database writes its pages, each larger than a stream's first window, so that none takes it.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Writes_as_large_as_a_window_that_go_to_and_fro_are_kept(bool isAsync)
    {
        await using SluiceStream stream = Open(SluiceOptions.Adaptive);
        byte[] page = new byte[2 * Window];
        for (int i = 0; i < 40; i++)
        {
            if (i == 4)
            {
                _past = 0;
            }

            stream.Position = ((i % 2 * 100) + i) * page.Length;
            if (isAsync)
            {
                await stream.WriteAsync(page);
            }
            else
            {
                stream.Write(page);
            }

            stream.Flush();
        }

        _past.ShouldBe(0);
    }

    [SkippableFact]
    public void Windows_that_go_on_and_on_pass_the_cache_whatever_was_before()
    {
        const int windows = 100;
        using SluiceStream stream = Open(Window);
        for (int i = 0; i < 10; i++)
        {
            stream.Write([1]);
            stream.Flush();
        }

        _past = 0;
        for (int i = 0; i < windows; i++)
        {
            WriteInPieces(stream, new byte[Window]);
        }

        stream.Flush();
        _past.ShouldBe(windows - 4);
    }

    /// <summary>In pieces that are smaller than a window: a larger one would need none.</summary>
    private static void WriteInPieces(SluiceStream stream, ReadOnlySpan<byte> bytes)
    {
        for (; !bytes.IsEmpty; bytes = bytes[Math.Min(bytes.Length, Window / 4)..])
        {
            stream.Write(bytes[..Math.Min(bytes.Length, Window / 4)]);
        }
    }

    private SluiceStream Open(int bufferSize)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        SluiceStream stream = new(Path.Combine(Temp.Root, "file"), new SluiceOptions
        {
            Mode = FileMode.Create,
            Access = FileAccess.Write,
            Caching = FileCaching.Uncached,
            BufferSize = bufferSize,
        });
        SkipUnless(stream.SluiceHandle.Caching == FileCaching.Uncached, stream, stream.SluiceHandle.CachingReason);
        SkipUnless(stream.SluiceHandle.Kept is not null, stream, "of a file of this file system nothing is kept");
        SystemCallFaults.Use((call, _, _) =>
        {
            _past += call == "pwritev2" ? 1 : 0;
            return 0;
        });
        stream.Write([0]);
        stream.Flush();
        SkipUnless(_past == 1, stream, "the kernel has no RWF_DONTCACHE here");
        return stream;
    }

    private static void SkipUnless(bool condition, SluiceStream stream, string? reason)
    {
        if (!condition)
        {
            stream.Dispose();
            Skip.If(true, reason);
        }
    }
}
