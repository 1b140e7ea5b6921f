namespace Sluice.Tests.Streams;

/// <summary>What a stream was not opened for it says in FileStream's words, whichever way it is asked; the file stays as it is.</summary>
public sealed class StreamAccessTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public static TheoryData<FileCaching, int> Configurations => new()
    {
        { FileCaching.Cached, -1 }, { FileCaching.Cached, 0 }, { FileCaching.Uncached, -1 }, { FileCaching.Direct, -1 },
        { FileCaching.Direct, 0 },
    };

    public void Dispose() => _temp.Dispose();

    [Theory]
    [MemberData(nameof(Configurations))]
    public async Task A_stream_that_was_not_opened_for_writing_says_so(FileCaching caching, int bufferSize)
    {
        string path = _temp.NewFile(5000);
        await using SluiceStream stream = Open(path, FileAccess.Read, caching, bufferSize);
        byte[] buffer = new byte[100];
        await ShouldSayAsync(path, FileAccess.Read, stream, "Stream does not support writing.", [
            s => Run(() => s.Write(buffer, 0, 100)), s => Run(() => s.Write(buffer.AsSpan())), s => Run(() => s.WriteByte(1)),
            s => s.WriteAsync(buffer, 0, 100), async s => await s.WriteAsync(buffer.AsMemory()),
            s => Run(() => s.EndWrite(s.BeginWrite(buffer, 0, 100, null, null))), s => Run(() => s.SetLength(10))]);
    }

    [Theory]
    [MemberData(nameof(Configurations))]
    public async Task A_stream_that_was_not_opened_for_reading_says_so(FileCaching caching, int bufferSize)
    {
        string path = _temp.NewFile(5000);
        await using SluiceStream stream = Open(path, FileAccess.Write, caching, bufferSize);
        byte[] buffer = new byte[100];
        await ShouldSayAsync(path, FileAccess.Write, stream, "Stream does not support reading.", [
            s => Run(() => s.Read(buffer, 0, 100)), s => Run(() => s.Read(buffer.AsSpan())), s => Run(() => s.ReadByte()),
            s => s.ReadAsync(buffer, 0, 100), async s => await s.ReadAsync(buffer.AsMemory()),
            s => Run(() => s.EndRead(s.BeginRead(buffer, 0, 100, null, null))), s => Run(() => s.CopyTo(Stream.Null)),
            s => s.CopyToAsync(Stream.Null)]);
    }

    private static SluiceStream Open(string path, FileAccess access, FileCaching caching, int bufferSize) =>
        new(SluiceHandle.Open(path, FileMode.Open, access, FileShare.ReadWrite, caching: caching), access, bufferSize);

    private static async Task ShouldSayAsync(
        string path, FileAccess access, SluiceStream stream, string text, Func<Stream, Task>[] actions)
    {
        await using FileStream model = new(path, FileMode.Open, access, FileShare.ReadWrite);
        for (int i = 0; i < actions.Length; i++)
        {
            (await Should.ThrowAsync<NotSupportedException>(() => actions[i](stream), $"{i}")).Message.ShouldBe(text, $"{i}");
            (await Should.ThrowAsync<NotSupportedException>(() => actions[i](model), $"FileStream {i}")).Message.ShouldBe(text, $"{i}");
        }

        stream.Position.ShouldBe(0);
        stream.Dispose();
        model.Dispose();
        File.ReadAllBytes(path).ShouldBeBytes(Bytes.Pattern(5000));
    }

    private static Task Run(Action action)
    {
        action();
        return Task.CompletedTask;
    }
}
