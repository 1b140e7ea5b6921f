using System.Text;

namespace Sluice.Hostile.Tests.Throwing;

/// <summary>
/// Sequences of paths, of files and of lines that throw: what came before is done, nothing after it, and the enumerator is closed.
/// </summary>
public sealed class SequenceTests : HostileTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task Read_many(bool continues) => EveryCallAsync(async countdown =>
    {
        (string Path, byte[] Content)[] files =
            [.. Enumerable.Range(0, 9).Select(i => Bytes.Pattern(1000 * i, i)).Select(c => (Temp.NewFile(c), c))];
        HostileList<string> paths = new(countdown, [.. files.Select(f => f.Path)]);
        int read = 0;
        bool isWhole = await countdown.TryAsync(async () =>
        {
            await foreach (FileReadResult result in SluiceFile.ReadManyAsync(
                paths, new FileBatchOptions { ContinueOnError = continues, MaxDegreeOfParallelism = 2 }))
            {
                result.Path.ShouldBe(files[read].Path);
                result.GetContent().ShouldBeBytes(files[read].Content);
                read++;
            }
        });
        (read == files.Length || !isWhole).ShouldBeTrue($"{read} files, and a batch that ended as if it were whole");
        isWhole.ShouldBe(!countdown.HasThrown);
        paths.OpenEnumerators.ShouldBe(0);
    });

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task Write_many(bool continues) => EveryCallAsync(async countdown =>
    {
        (string Path, ReadOnlyMemory<byte> Bytes)[] files =
            [.. Enumerable.Range(0, 9).Select(i => (Temp.NewPath(), (ReadOnlyMemory<byte>)Bytes.Pattern(1000 * i, i)))];
        HostileList<(string Path, ReadOnlyMemory<byte> Bytes)> sequence = new(countdown, files);
        bool isWhole = await countdown.TryAsync(() => SluiceFile.WriteManyAsync(
            sequence, new FileBatchOptions { ContinueOnError = continues, MaxDegreeOfParallelism = 2 }));
        isWhole.ShouldBe(!countdown.HasThrown);
        bool isEnded = false;
        foreach ((string path, ReadOnlyMemory<byte> bytes) in files)
        {
            // As far as the sequence came, each is whole; behind, there is none.
            isEnded |= !File.Exists(path);
            File.Exists(path).ShouldBe(!isEnded);
            if (!isEnded)
            {
                File.ReadAllBytes(path).ShouldBeBytes(bytes.Span);
            }
        }

        (isEnded && isWhole).ShouldBeFalse();
        sequence.OpenEnumerators.ShouldBe(0);
    });

    [Theory]
    [InlineData("write")]
    [InlineData("write async")]
    [InlineData("append")]
    [InlineData("append async")]
    public Task Lines(string how) => EveryCallAsync(async countdown =>
    {
        string path = Temp.NewPath();
        string[] lines = [.. Enumerable.Range(0, 8).Select(i => $"line {i} {new string('é', i * 200)}")];
        HostileList<string> sequence = new(countdown, lines);
        bool isWhole = await countdown.TryAsync(() =>
        {
            switch (how)
            {
                case "write":
                    SluiceFile.WriteAllLines(path, sequence);
                    return Task.CompletedTask;
                case "append":
                    SluiceFile.AppendAllLines(path, sequence);
                    return Task.CompletedTask;
                case "write async":
                    return SluiceFile.WriteAllLinesAsync(path, sequence);
                default:
                    return SluiceFile.AppendAllLinesAsync(path, sequence);
            }
        });
        isWhole.ShouldBe(!countdown.HasThrown);
        string all = string.Concat(lines.Select(l => l + Environment.NewLine));
        string found = File.Exists(path) ? File.ReadAllText(path, Encoding.UTF8) : "";
        all.ShouldStartWith(found);
        (!isWhole || found.Length == all.Length).ShouldBeTrue();
        sequence.OpenEnumerators.ShouldBe(0);
    });
}
