using System.Globalization;
using Lucene.Net.Index;
using Lucene.Net.Search;
using Lucene.Net.Store;
using Shouldly;
using Sluice.Clients.Tests.Support;
using Sluice.Lucene;
using Xunit;

namespace Sluice.Clients.Tests.Lucene;

/// <summary>Whole indexes in a SluiceDirectory.</summary>
public sealed class LuceneIndexTests : IDisposable
{
    private const int Threads = 4;

    private readonly string _folder = System.IO.Directory.CreateTempSubdirectory("sluice-lucene-").FullName;

    public void Dispose() => System.IO.Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Threads_index_and_find_what_they_find_with_NIOFSDirectory()
    {
        const int documents = 2000;
        ParallelOptions parallel = new() { MaxDegreeOfParallelism = Threads };
        using SluiceDirectory directory = new(_folder);
        using (IndexWriter writer = LuceneIndex.Writer(directory))
        {
            Parallel.For(0, documents, parallel, i =>
            {
                LuceneIndex.Update(writer, i);
                if (i % 500 == 0)
                {
                    writer.Commit();
                }
            });
            Parallel.For(0, documents / 4, parallel, i => LuceneIndex.Update(writer, i * 4));
            writer.DeleteDocuments(LuceneIndex.Id(7));
        }

        LuceneIndex.Check(directory);
        using NIOFSDirectory other = new(_folder);
        using DirectoryReader ownReader = DirectoryReader.Open(directory);
        using DirectoryReader otherReader = DirectoryReader.Open(other);
        ownReader.NumDocs.ShouldBe(documents - 1);
        IndexSearcher own = new(ownReader);
        IndexSearcher expected = new(otherReader);
        Parallel.For(0, 200, parallel, i =>
        {
            string found = Find(own, Query(i));
            found.ShouldBe(Find(expected, Query(i)));
        });
        Find(own, Query(0)).ShouldNotStartWith("0:");
    }

    [Fact]
    public void A_commit_makes_each_of_its_files_durable()
    {
        FlushCount engine = new();
        using IDisposable context = IoEngine.UseForCurrentContext(engine);
        using SluiceDirectory directory = new(_folder);
        using IndexWriter writer = LuceneIndex.Writer(directory);
        for (int i = 0; i < 100; i++)
        {
            LuceneIndex.Update(writer, i);
        }

        engine.Flushes.ShouldBe(0);
        writer.Commit();
        ICollection<string> files = DirectoryReader.ListCommits(directory).ShouldHaveSingleItem().FileNames;
        long flushes = engine.Flushes;
        flushes.ShouldBeGreaterThanOrEqualTo(files.Count);
        directory.Sync(files);
        engine.Flushes.ShouldBe(flushes);
    }

    private static Query Query(int number) => (number % 3) switch
    {
        0 => new TermQuery(Word(number)),
        1 => new BooleanQuery { { new TermQuery(Word(number)), Occur.MUST }, { new TermQuery(Word(number + 1)), Occur.MUST } },
        _ => new PhraseQuery { Word(number), Word(number + 1) },
    };

    private static Term Word(int number) => new(LuceneIndex.Text, LuceneIndex.Word(number));

    private static string Find(IndexSearcher searcher, Query query)
    {
        TopDocs found = searcher.Search(query, 20);
        return string.Create(CultureInfo.InvariantCulture, $"{found.TotalHits}: ")
            + string.Join(", ", found.ScoreDocs.Select(hit => $"{searcher.Doc(hit.Doc).Get(LuceneIndex.Number)} {hit.Score}"));
    }
}
