using System.Diagnostics;
using System.Globalization;
using Lucene.Net.Index;
using Shouldly;
using Sluice.Lucene;
using Xunit;

namespace Sluice.Clients.Tests.Lucene;

/// <summary>
/// A process that indexes with several threads and commits is killed at random moments; the next one continues with its index.
/// </summary>
[Trait("Tier", "slow")]
public sealed class LuceneKillTests : IDisposable
{
    private const int Batch = 50;

    private static readonly int Kills =
        int.TryParse(Environment.GetEnvironmentVariable("SLUICE_KILLS"), CultureInfo.InvariantCulture, out int kills) ? kills : 5;

    private readonly string _folder = System.IO.Directory.CreateTempSubdirectory("sluice-lucene-").FullName;

    public void Dispose() => System.IO.Directory.Delete(_folder, recursive: true);

    /// <summary>The child process: adds batches, and tells how many documents are committed.</summary>
    public static int RunChild(string folder)
    {
        using SluiceDirectory directory = new(folder);
        using IndexWriter writer = LuceneIndex.Writer(directory);
        for (int next = writer.NumDocs; ; next += Batch)
        {
            Parallel.For(next, next + Batch, i => LuceneIndex.Update(writer, i));

            // Buffered deletions are part of a commit, too.
            LuceneIndex.Update(writer, next / 2);
            writer.Commit();
            Console.Out.WriteLine(next + Batch);
        }
    }

    [Fact]
    public async Task What_was_committed_is_there_once_and_the_index_is_whole()
    {
        Random random = new(1);
        for (int kill = 0; kill < Kills; kill++)
        {
            int committed = await CommitUntilKilledAsync(random.Next(300));
            using SluiceDirectory directory = new(_folder);
            LuceneIndex.Check(directory);
            using DirectoryReader reader = DirectoryReader.Open(directory);
            reader.NumDocs.ShouldBeGreaterThanOrEqualTo(committed);
            (reader.NumDocs % Batch).ShouldBe(0);
            IEnumerable<int> numbers = Enumerable.Range(0, reader.MaxDoc)
                .Where(i => MultiFields.GetLiveDocs(reader) is not { } live || live.Get(i))
                .Select(i => int.Parse(reader.Document(i).Get(LuceneIndex.Number), CultureInfo.InvariantCulture));
            numbers.Order().ShouldBe(Enumerable.Range(0, reader.NumDocs));
        }
    }

    /// <summary>The number of documents that the child had told of when it was killed.</summary>
    private async Task<int> CommitUntilKilledAsync(int delayMs)
    {
        string host = Environment.ProcessPath is { } own && Path.GetFileName(own) == "dotnet" ? own : "dotnet";
        ProcessStartInfo start = new(host, [typeof(LuceneKillTests).Assembly.Location, "index", _folder])
        {
            UseShellExecute = false,
            RedirectStandardOutput = true,
        };
        using Process child = Process.Start(start)!;
        string? last = await child.StandardOutput.ReadLineAsync();
        await Task.Delay(delayMs);
        child.Kill();
        while (await child.StandardOutput.ReadLineAsync() is { } line)
        {
            last = line;
        }

        await child.WaitForExitAsync();
        return int.Parse(last.ShouldNotBeNull(), CultureInfo.InvariantCulture);
    }
}
