using Apache.Arrow;
using Apache.Arrow.Ipc;
using nietras.SeparatedValues;
using Parquet;
using Parquet.Serialization;
using Sluice.Clients.Tests.Support;

namespace Sluice.Clients.Tests.Clients;

/// <summary>Tables by columns, and separated values in vectors.</summary>
internal static class ColumnClients
{
    private const int Rows = 20_000;

    public static IReadOnlyList<Client> All { get; } =
    [
        new Client("Parquet.Net", ParquetAsync),
        new Client("Apache.Arrow", ArrowAsync),
        new Client("Sep", Separated),
    ];

    public sealed class Row
    {
        public int Id { get; set; }

        public string Name { get; set; } = "";

        public double Value { get; set; }
    }

    private static async Task ParquetAsync(Workplace place)
    {
        Row[] rows = [.. Enumerable.Range(0, Rows).Select(static i => new Row { Id = i, Name = $"name {i}", Value = i / 8.0 })];
        await using (Stream target = place.Create("rows.parquet"))
        {
            _ = await ParquetSerializer.SerializeAsync(rows, target, new ParquetOptions { RowGroupSize = 3000 });
        }

        await using Stream source = place.OpenRead("rows.parquet");
        place.Saw((await ParquetSerializer.DeserializeAsync<Row>(source)).Data.Sum(static r => r.Value + r.Name.Length));
    }

    private static async Task ArrowAsync(Workplace place)
    {
        using RecordBatch batch = new RecordBatch.Builder()
            .Append("id", nullable: false, column => column.Int32(array => array.AppendRange(Enumerable.Range(0, Rows))))
            .Append("name", nullable: false, column => column.String(a => a.AppendRange(Enumerable.Range(0, Rows).Select(i => $"name {i}"))))
            .Build();
        await using (Stream target = place.Create("rows.arrow"))
        using (ArrowFileWriter writer = new(target, batch.Schema))
        {
            await writer.WriteRecordBatchAsync(batch);
            await writer.WriteRecordBatchAsync(batch);
            await writer.WriteEndAsync();
        }

        await using Stream source = place.OpenRead("rows.arrow");
        using ArrowFileReader reader = new(source);
        for (int i = await reader.RecordBatchCountAsync() - 1; i >= 0; i--)
        {
            using RecordBatch read = await reader.ReadRecordBatchAsync(i);
            place.Saw(read.Length);
            place.Saw(((StringArray)read.Column(1)).GetString(Rows - 1));
        }
    }

    private static void Separated(Workplace place)
    {
        using (Stream target = place.Create("rows.csv"))
        using (SepWriter writer = Sep.New(',').Writer().To(target))
        {
            for (int i = 0; i < Rows; i++)
            {
                using SepWriter.Row row = writer.NewRow();
                row["id"].Format(i);
                row["value"].Format(i / 8.0);
            }
        }

        using Stream source = place.OpenRead("rows.csv");
        using SepReader reader = Sep.Reader().From(source);
        double sum = 0;
        foreach (SepReader.Row row in reader)
        {
            sum += row["value"].Parse<double>();
        }

        place.Saw(sum);
    }
}
