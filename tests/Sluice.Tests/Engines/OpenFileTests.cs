using Sluice.Kernel;

namespace Sluice.Tests.Engines;

public sealed class OpenFileTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Fact]
    public void A_handle_says_how_many_rings_serve_it_and_why_unless_an_engine_was_asked_for()
    {
        string path = _temp.NewFile(1);
        using SluiceHandle handle = SluiceHandle.Open(path, FileMode.Open, FileAccess.Read, FileShare.Read);
        handle.RingsDescription.ShouldBe(SluiceEngines.RingsDescription);
        using SluiceHandle pooled = SluiceHandle.Open(path, new SluiceOptions { Engine = SluiceEngines.Pool });
        pooled.RingsDescription.ShouldBeNull();
    }

    [SkippableFact]
    public void A_handle_that_has_become_cached_stays_so_when_an_edge_that_was_on_its_way_has_ended()
    {
        using SluiceHandle handle = SluiceHandle.Open(
            _temp.NewFile(10_000), new SluiceOptions { Access = FileAccess.ReadWrite, Caching = FileCaching.Direct });
        Skip.If(handle.Caching != FileCaching.Direct, handle.CachingReason);
        handle.SuspendDirect();
        handle.LoseDirect(Sluice.Errors.IoVerb.Write, 0, 512).ShouldBeTrue();
        handle.ResumeDirect();
        (handle.Caching, handle.Alignment).ShouldBe((FileCaching.Cached, FileAlignment.None));
        (Libc.GetFlags(handle.Descriptor) & Libc.DirectFlag).ShouldBe(0);
        handle.Write([1, 2, 3], 7);
        handle.Read(new byte[3], 7).ShouldBe(3);
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_direct_handle_is_direct_again_after_parts_of_pages(bool isAsync)
    {
        byte[] content = Bytes.Pattern(100_000);
        using SluiceHandle handle = SluiceHandle.Open(
            _temp.NewFile(content), new SluiceOptions { Access = FileAccess.ReadWrite, Caching = FileCaching.Direct });
        Skip.If(handle.Caching != FileCaching.Direct, handle.CachingReason);
        byte[] part = new byte[30_001];
        byte[] read = new byte[part.Length];
        foreach (int offset in (int[])[7, 4096, 99_000])
        {
            part.AsSpan().Fill((byte)offset);
            if (isAsync)
            {
                await handle.WriteAsync(part, offset);
                (await handle.ReadAsync(read, offset)).ShouldBe(read.Length);
                await handle.AppendAsync(part.AsMemory(0, 5));
            }
            else
            {
                handle.Write(part, offset);
                handle.Read(read, offset).ShouldBe(read.Length);
                handle.Append(part.AsSpan(0, 5));
            }

            read.ShouldBeBytes(part);
            handle.Caching.ShouldBe(FileCaching.Direct);
            (Libc.GetFlags(handle.Descriptor) & Libc.DirectFlag).ShouldNotBe(0, $"after a part at {offset}");
        }
    }
}
