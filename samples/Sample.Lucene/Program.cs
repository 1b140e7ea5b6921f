// Indexes the Markdown files of a folder, by default the documents of this repository, and searches them:
//   dotnet run -c Release --project samples/Sample.Lucene -- [FOLDER [WORDS...]]
// "--measure FOLDER [DOCUMENTS]" compares SluiceDirectory with the directories of Lucene.NET, on indexes that it creates in the folder.
using Lucene.Net.Analysis.Standard;
using Lucene.Net.Documents;
using Lucene.Net.Index;
using Lucene.Net.QueryParsers.Classic;
using Lucene.Net.Search;
using Lucene.Net.Util;
using Sluice.Lucene;

if (args is ["--measure", string target, .. string[] rest])
{
    return Measurement.Run(target, rest);
}

string source = args.Length > 0 ? args[0] : DocumentsOfRepository();
string words = args.Length > 1 ? string.Join(' ', args[1..]) : "durable append";
string index = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}-lucene");
try
{
    using SluiceDirectory directory = new(index);   // in place of FSDirectory.Open(index)
    using StandardAnalyzer analyzer = new(LuceneVersion.LUCENE_48);
    using (IndexWriter writer = new(directory, new IndexWriterConfig(LuceneVersion.LUCENE_48, analyzer)))
    {
        foreach (string path in Directory.EnumerateFiles(source, "*.md", SearchOption.AllDirectories))
        {
            writer.AddDocument(
            [
                new StringField("path", Path.GetRelativePath(source, path), Field.Store.YES),
                new TextField("text", await SluiceFile.ReadAllTextAsync(path), Field.Store.NO),
            ]);
        }

        writer.Commit();   // the documents survive a power failure from here on
    }

    using DirectoryReader reader = DirectoryReader.Open(directory);
    IndexSearcher searcher = new(reader);
    TopDocs found = searcher.Search(new QueryParser(LuceneVersion.LUCENE_48, "text", analyzer).Parse(words), 5);
    Console.WriteLine($"{found.TotalHits} of {reader.NumDocs} documents have '{words}'");
    foreach (ScoreDoc hit in found.ScoreDocs)
    {
        Console.WriteLine($"{hit.Score:0.00}  {searcher.Doc(hit.Doc).Get("path")}");
    }

    return found.TotalHits > 0 ? 0 : 1;
}
finally
{
    if (Directory.Exists(index))
    {
        Directory.Delete(index, recursive: true);
    }
}

static string DocumentsOfRepository()
{
    DirectoryInfo? folder = new(AppContext.BaseDirectory);
    while (folder is not null && !File.Exists(Path.Combine(folder.FullName, "Sluice.slnx")))
    {
        folder = folder.Parent;
    }

    return Path.Combine(folder?.FullName ?? throw new DirectoryNotFoundException("name a folder with Markdown files"), "docs");
}
