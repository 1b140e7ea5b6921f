using Sluice.Engines;

namespace Sluice.Tests.Sequential;

/// <summary>The operations of a writer; counted for the whole process.</summary>
[Collection(AloneCollection.Name)]
public sealed class WriterOperationTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Fact]
    public async Task Those_that_end_at_once_are_used_again()
    {
        byte[] bytes = Bytes.Pattern(1000);
        await using SluiceWriter writer = new(_temp.NewPath(), new SluiceWriterOptions { Engine = new PromptEngine(), RequestSize = 4096 });
        await WriteAsync(100);
        long before = OperationPool.Created;
        await WriteAsync(10_000);
        (OperationPool.Created - before).ShouldBeLessThan(500);

        async Task WriteAsync(int count)
        {
            for (int i = 0; i < count; i++)
            {
                await writer.WriteAsync(bytes);
            }
        }
    }

    /// <summary>Takes everything at once, and writes nothing.</summary>
    private sealed class PromptEngine : IoEngine
    {
        public override string Name => "prompt";

        internal override void Submit(IoOperation operation) => operation.Complete(operation.Length);
    }
}
