using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using Lucene.Net.Analysis.Core;
using Lucene.Net.Documents;
using Lucene.Net.Index;
using Lucene.Net.Search;
using Lucene.Net.Store;
using Lucene.Net.Util;
using Microsoft.Win32.SafeHandles;
using Sluice.Lucene;
using LuceneDirectory = Lucene.Net.Store.Directory;

/// <summary>
/// Compares <see cref="SluiceDirectory"/> with a directory of Lucene.NET in seven rounds of four runs (base, Sluice, Sluice, base), each
/// side on an index of its own. A row has the median of the rounds' ratios, and in parentheses the smallest and the largest, between which
/// the median of all possible rounds lies with a confidence of 98 %; then the median time of a run with Sluice. Above 1, Sluice is faster.
/// </summary>
internal static class Measurement
{
    private const int Rounds = 7;
    private const int Vocabulary = 50_000;
    private const int WordsPerDocument = 150;
    private const int HotQueries = 2000;
    private const int ColdQueries = 200;
    private const int Commits = 20;

    public static int Run(string folder, string[] rest)
    {
        int documents = rest.Length > 0 ? int.Parse(rest[0], CultureInfo.InvariantCulture) : 50_000;
        Side sluice = new("SluiceDirectory", Path.Combine(folder, "sluice"), static path => new SluiceDirectory(path));
        Side[] bases =
        [
            new("NIOFSDirectory", Path.Combine(folder, "niofs"), static path => new NIOFSDirectory(path)),
            new("MMapDirectory", Path.Combine(folder, "mmap"), static path => new MMapDirectory(path)),
        ];
        try
        {
            foreach (Side side in bases.Prepend(sluice))
            {
                Index(side, documents);
            }

            long size = System.IO.Directory.EnumerateFiles(sluice.Path).Sum(static file => new FileInfo(file).Length);
            int processors = Environment.ProcessorCount;
            Console.WriteLine($"{documents} documents, index of {size >> 20} MiB, {processors} processors, {SluiceEngines.Default.Name}");
            foreach (Side other in bases)
            {
                using (Searched ownIndex = new(sluice))
                using (Searched otherIndex = new(other))
                {
                    foreach (int threads in (int[])[1, 2 * processors])
                    {
                        Compare(
                            $"hot queries, {threads} threads", other.Name,
                            () => otherIndex.Query(HotQueries, threads), () => ownIndex.Query(HotQueries, threads));
                    }
                }

                Compare("cold: open, then queries", other.Name, () => QueryCold(other), () => QueryCold(sluice));
            }

            // All directories of Lucene.NET write in the same way.
            Side writing = bases[0];
            Compare("index all documents", writing.Name, () => Index(writing, documents), () => Index(sluice, documents));
            Compare("commits of 20 documents", writing.Name, () => Commit(writing), () => Commit(sluice));
        }
        finally
        {
            foreach (Side side in bases.Prepend(sluice))
            {
                side.Delete();
            }
        }

        return 0;
    }

    private static void Compare(string row, string name, Func<double> runOther, Func<double> runSluice)
    {
        _ = runOther();
        _ = runSluice();
        double[] ratios = new double[Rounds];
        double[] seconds = new double[Rounds];
        for (int i = 0; i < Rounds; i++)
        {
            double others = runOther();
            double own = runSluice() + runSluice();
            others += runOther();
            (ratios[i], seconds[i]) = (others / own, own / 2);
        }

        Array.Sort(ratios);
        Array.Sort(seconds);
        string ratio = string.Create(CultureInfo.InvariantCulture, $"{ratios[Rounds / 2]:0.00} ({ratios[0]:0.00}-{ratios[^1]:0.00})");
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{row,-26} {name,-15} {ratio,-18} {seconds[Rounds / 2]:0.000} s"));
    }

    /// <summary>Creates the index anew, with one thread, so that the segments of all sides are the same.</summary>
    private static double Index(Side side, int documents)
    {
        side.Delete();
        long began = Stopwatch.GetTimestamp();
        using LuceneDirectory directory = side.Open();
        using IndexWriter writer = Writer(directory);
        Random random = new(1);
        for (int i = 0; i < documents; i++)
        {
            writer.AddDocument(Document(random, i));
        }

        writer.Commit();
        return Stopwatch.GetElapsedTime(began).TotalSeconds;
    }

    private static double Commit(Side side)
    {
        Side small = side with { Path = side.Path + "-commits" };
        try
        {
            using LuceneDirectory directory = small.Open();
            using IndexWriter writer = Writer(directory);
            Random random = new(2);
            long began = Stopwatch.GetTimestamp();
            for (int i = 0; i < Commits; i++)
            {
                for (int j = 0; j < 20; j++)
                {
                    writer.AddDocument(Document(random, j));
                }

                writer.Commit();
            }

            return Stopwatch.GetElapsedTime(began).TotalSeconds;
        }
        finally
        {
            small.Delete();
        }
    }

    private static double QueryCold(Side side)
    {
        foreach (string file in System.IO.Directory.EnumerateFiles(side.Path))
        {
            using SafeFileHandle handle = File.OpenHandle(file);
            if (posix_fadvise((int)handle.DangerousGetHandle(), 0, 0, DontNeed) != 0)
            {
                throw new IOException($"the cached pages of '{file}' cannot be dropped");
            }
        }

        long began = Stopwatch.GetTimestamp();
        using Searched searched = new(side);
        _ = searched.Query(ColdQueries, threads: 1);
        return Stopwatch.GetElapsedTime(began).TotalSeconds;
    }

    private static IndexWriter Writer(LuceneDirectory directory) => new(
        directory,
        new IndexWriterConfig(LuceneVersion.LUCENE_48, new WhitespaceAnalyzer(LuceneVersion.LUCENE_48))
        {
            MergeScheduler = new SerialMergeScheduler(),
        });

    private static IEnumerable<IIndexableField> Document(Random random, int number)
    {
        StringBuilder text = new();
        for (int i = 0; i < WordsPerDocument; i++)
        {
            text.Append(Word(random)).Append(' ');
        }

        return [new StringField("id", $"{number}", Field.Store.YES), new TextField("text", text.ToString(), Field.Store.YES)];
    }

    /// <summary>A word of rank r is drawn with a probability proportional to 1/r, as in natural texts.</summary>
    private static string Word(Random random) =>
        string.Create(CultureInfo.InvariantCulture, $"w{(int)Math.Pow(Vocabulary, random.NextDouble())}");

    private const int DontNeed = 4;

    [DllImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int posix_fadvise(int fd, long offset, long length, int advice);

    private sealed record Side(string Name, string Path, Func<string, LuceneDirectory> Opener)
    {
        public LuceneDirectory Open() => Opener(Path);

        public void Delete()
        {
            if (System.IO.Directory.Exists(Path))
            {
                System.IO.Directory.Delete(Path, recursive: true);
            }
        }
    }

    /// <summary>An open index and queries for terms, pairs of terms and phrases, whose ten best documents are loaded.</summary>
    private sealed class Searched : IDisposable
    {
        private readonly LuceneDirectory _directory;
        private readonly DirectoryReader _reader;
        private readonly IndexSearcher _searcher;

        public Searched(Side side)
        {
            _directory = side.Open();
            _reader = DirectoryReader.Open(_directory);
            _searcher = new IndexSearcher(_reader);
        }

        public void Dispose()
        {
            _reader.Dispose();
            _directory.Dispose();
        }

        public double Query(int count, int threads)
        {
            long began = Stopwatch.GetTimestamp();
            Thread[] all = [.. Enumerable.Range(0, threads).Select(t => new Thread(() => Query(count / threads, new Random(t))))];
            Array.ForEach(all, static t => t.Start());
            Array.ForEach(all, static t => t.Join());
            return Stopwatch.GetElapsedTime(began).TotalSeconds;
        }

        private void Query(int count, Random random)
        {
            for (int i = 0; i < count; i++)
            {
                Query query = (i % 3) switch
                {
                    0 => new TermQuery(Term(random)),
                    1 => new BooleanQuery { { new TermQuery(Term(random)), Occur.MUST }, { new TermQuery(Term(random)), Occur.MUST } },
                    _ => new PhraseQuery { Term(random), Term(random) },
                };
                foreach (ScoreDoc hit in _searcher.Search(query, 10).ScoreDocs)
                {
                    _ = _searcher.Doc(hit.Doc);
                }
            }
        }

        private static Term Term(Random random) => new("text", Word(random));
    }
}
