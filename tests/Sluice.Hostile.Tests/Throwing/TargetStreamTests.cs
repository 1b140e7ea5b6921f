using System.IO.Pipelines;

namespace Sluice.Hostile.Tests.Throwing;

/// <summary>
/// Streams of the caller's that throw when something is copied into them: what they got is right, and the source goes on behind it.
/// </summary>
public sealed class TargetStreamTests : HostileTests
{
    private static readonly byte[] Content = Bytes.Pattern(50_000);

    [Theory]
    [MemberData(nameof(Cases))]
    public Task Stream(string engine, FileCaching caching) => EveryCallAsync(async countdown =>
    {
        string path = Temp.NewFile(Content);
        foreach (bool isAsync in (bool[])[false, true])
        {
            await using SluiceStream stream = new(path, new SluiceOptions
            {
                Engine = Engine(engine),
                Caching = caching,
                Options = isAsync ? FileOptions.Asynchronous : FileOptions.None,
            });
            stream.ReadByte().ShouldBe(Content[0]);
            HostileStream target = new(countdown);
            bool isWhole = await CopyAsync(countdown, stream, target, isAsync);
            Check(target.Written, isWhole, first: 1);

            // A piece that was not taken is lost where the target failed, as with any stream; the position says from where to go on.
            byte[] rest = new byte[Content.Length - stream.Position];
            long at = stream.Position;
            at.ShouldBeGreaterThanOrEqualTo(1 + target.Written.Length);
            (await stream.ReadAtLeastAsync(rest, rest.Length, throwOnEndOfStream: false)).ShouldBe(rest.Length);
            rest.ShouldBeBytes(Content.AsSpan((int)at));
            (await stream.ReadAsync(new byte[1])).ShouldBe(0);
        }
    });

    [Theory]
    [MemberData(nameof(Cases))]
    public Task Reader_as_stream_and_pipe(string engine, FileCaching caching) => EveryCallAsync(async countdown =>
    {
        string path = Temp.NewFile(Content);
        foreach (string how in (string[])["sync", "async", "pipe"])
        {
            using SluiceReader reader = new(
                path, new SluiceReaderOptions { Engine = Engine(engine), Caching = caching, RequestSize = 8192, Depth = 2 });
            HostileStream target = new(countdown);
            if (how == "pipe")
            {
                PipeReader pipe = reader.AsPipeReader();
                bool isPiped = await countdown.TryAsync(() => pipe.CopyToAsync(target));
                Check(target.Written, isPiped, first: 0);
                await pipe.CompleteAsync();
                continue;
            }

            bool isWhole = await CopyAsync(countdown, reader.AsStream(), target, how == "async");
            Check(target.Written, isWhole, first: 0);
            MemoryStream rest = new();
            long at = reader.Position;
            await reader.AsStream().CopyToAsync(rest);
            rest.ToArray().ShouldBeBytes(Content.AsSpan((int)at));
        }
    });

    private static async Task<bool> CopyAsync(Countdown countdown, Stream source, Stream target, bool isAsync)
    {
        if (isAsync)
        {
            return await countdown.TryAsync(() => source.CopyToAsync(target, 8192));
        }

        return countdown.Try(() => source.CopyTo(target, 8192));
    }

    private static void Check(byte[] written, bool isWhole, int first)
    {
        if (isWhole)
        {
            written.ShouldBeBytes(Content.AsSpan(first));
        }
        else
        {
            written.Length.ShouldBeLessThanOrEqualTo(Content.Length - first);
            written.ShouldBeBytes(Content.AsSpan(first, written.Length));
        }
    }
}
