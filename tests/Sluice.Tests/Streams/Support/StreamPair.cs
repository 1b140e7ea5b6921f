using Microsoft.Win32.SafeHandles;

namespace Sluice.Tests.Streams;

/// <summary>The same steps, chosen by a test, on both streams: outcomes, positions and lengths must be equal.</summary>
internal static class StreamPair
{
    /// <summary>Each pair of buffer size, sync/async and caching, for files that are no ordinary ones.</summary>
    public static TheoryData<int, bool, FileCaching> Openings
    {
        get
        {
            TheoryData<int, bool, FileCaching> data = [];
            bool isAsync = false;
            foreach (int bufferSize in StreamConfiguration.BufferSizes)
            {
                foreach (FileCaching caching in Enum.GetValues<FileCaching>())
                {
                    data.Add(bufferSize, isAsync, caching);
                    isAsync = !isAsync;
                }
            }

            return data;
        }
    }

    /// <summary>Opens both, takes the steps, and disposes both.</summary>
    public static async Task CompareAsync(string what, Func<Stream> theirs, Func<Stream> own, params StreamStep[] steps)
    {
        List<string> expected = await DescribeAsync(theirs, steps);
        List<string> actual = await DescribeAsync(own, steps);
        for (int i = 0; i < expected.Count; i++)
        {
            actual[i].ShouldBe(expected[i], $"{what}, after {string.Join(' ', steps.Take(i))}");
        }
    }

    /// <summary>Opens both on paths.</summary>
    public static Task CompareAsync(
        string what, (string Theirs, string Own) paths, FileAccess access, int bufferSize, bool isAsync, FileCaching caching,
            params StreamStep[] steps)
    {
        StreamConfiguration configuration = new(FileMode.Open, access, FileShare.ReadWrite, bufferSize, isAsync, "own", caching);
        return CompareAsync(
            $"{what} {configuration}",
            () => configuration.OpenTheirs(paths.Theirs, FileMode.Open).Stream,
            () => configuration.OpenOwn(paths.Own, FileMode.Open).Stream,
            steps);
    }

    /// <summary>A pipe's end that reads what has been written, with the other end closed.</summary>
    public static SafeFileHandle PipeWith(ReadOnlySpan<byte> content)
    {
        (SafeFileHandle read, SafeFileHandle write) = Native.Pipe();
        using FileStream writer = new(write, FileAccess.Write, 0);
        writer.Write(content);
        return read;
    }

    private static async Task<List<string>> DescribeAsync(Func<Stream> open, StreamStep[] steps)
    {
        StreamActor actor = new();
        List<string> outcomes = [];
        StreamOutcome opened = actor.Open((_, _) => Wrap(open()), FileMode.Open);
        outcomes.Add(opened.ToString());
        if (actor.Subject is null)
        {
            return outcomes;
        }

        for (int i = 0; i < steps.Length; i++)
        {
            StreamOutcome outcome = await actor.DoAsync(steps[i], steps[i].Size, i);
            outcomes.Add($"{steps[i]}: {outcome}; position {actor.Position()}");
        }

        outcomes.Add($"length {actor.Length()}");
        outcomes.Add($"disposed: {await actor.DoAsync(new StreamStep(StreamVerb.Dispose, 0, 0), 0, 0)}");
        return outcomes;
    }

    private static StreamSubject Wrap(Stream stream) =>
        stream is FileStream theirs ? new FileStreamSubject(theirs) : new SluiceStreamSubject((SluiceStream)stream);
}
