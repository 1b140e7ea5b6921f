using System.Globalization;
using Lucene.Net.Analysis.Core;
using Lucene.Net.Documents;
using Lucene.Net.Index;
using Lucene.Net.Util;
using Shouldly;
using LuceneDirectory = Lucene.Net.Store.Directory;

namespace Sluice.Clients.Tests.Lucene;

/// <summary>The index of these tests: documents with a number, and with words that depend on it.</summary>
internal static class LuceneIndex
{
    public const string Number = "number";
    public const string Text = "text";

    /// <summary>Small buffers, so that there are many segments and merges.</summary>
    public static IndexWriter Writer(LuceneDirectory directory) => new(
        directory,
        new IndexWriterConfig(LuceneVersion.LUCENE_48, new WhitespaceAnalyzer(LuceneVersion.LUCENE_48)) { MaxBufferedDocs = 50 });

    public static Term Id(int number) => new(Number, number.ToString(CultureInfo.InvariantCulture));

    public static string Word(int number) => string.Create(CultureInfo.InvariantCulture, $"w{number % 37}");

    /// <summary>Adds a document, or replaces the one with this number.</summary>
    public static void Update(IndexWriter writer, int number)
    {
        string text = string.Join(' ', Enumerable.Range(number, 30 + (number % 50)).Select(Word));
        writer.UpdateDocument(
            Id(number), [new StringField(Number, Id(number).Text, Field.Store.YES), new TextField(Text, text, Field.Store.YES)]);
    }

    /// <summary>Throws if Lucene's own check finds damage.</summary>
    public static void Check(LuceneDirectory directory)
    {
        using StringWriter report = new();
        CheckIndex check = new(directory) { InfoStream = report };
        check.DoCheckIndex().Clean.ShouldBeTrue(report.ToString());
    }
}
