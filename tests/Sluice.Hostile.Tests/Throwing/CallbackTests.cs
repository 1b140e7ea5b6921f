namespace Sluice.Hostile.Tests.Throwing;

/// <summary>Callbacks of a token that throw.</summary>
public sealed class CallbackTests : HostileTests
{
    private static readonly byte[] Content = Bytes.Pattern(30_000);

    [Theory]
    [MemberData(nameof(Cases))]
    public Task Callbacks_of_a_token(string engine, FileCaching caching) => EveryCallAsync(async countdown =>
    {
        string path = Temp.NewFile(Content);
        using SluiceHandle handle = SluiceHandle.Open(path, new SluiceOptions
        {
            Access = FileAccess.ReadWrite,
            Engine = Engine(engine),
            Caching = caching,
            Options = FileOptions.Asynchronous,
        });
        using CancellationTokenSource source = new();
        using CancellationTokenRegistration first = source.Token.Register(countdown.Hit);
        byte[][] buffers = [.. Enumerable.Range(0, 8).Select(_ => new byte[3000])];
        Task<int>[] reads = [.. buffers.Select((b, i) => handle.ReadAsync(b, i * 3000, source.Token).AsTask())];
        using CancellationTokenRegistration last = source.Token.Register(countdown.Hit);
        await countdown.TryAsync(source.CancelAsync);
        for (int i = 0; i < reads.Length; i++)
        {
            try
            {
                (await reads[i]).ShouldBe(3000);
                buffers[i].ShouldBeBytes(Content.AsSpan(i * 3000, 3000));
            }
            catch (OperationCanceledException e)
            {
                e.CancellationToken.ShouldBe(source.Token);
            }
        }
    });
}
