using System.Globalization;
using System.Text;
using CsvHelper;
using Google.Protobuf;
using Google.Protobuf.WellKnownTypes;
using ICSharpCode.SharpZipLib.BZip2;
using ICSharpCode.SharpZipLib.Zip;
using Newtonsoft.Json;
using Newtonsoft.Json.Bson;
using Newtonsoft.Json.Linq;
using NPOI.HSSF.UserModel;
using NPOI.SS.UserModel;
using Sluice.Clients.Tests.Support;
using YamlDotNet.Serialization;

namespace Sluice.Clients.Tests.Clients;

/// <summary>Other people's formats.</summary>
internal static class PackageClients
{
    public sealed class Row
    {
        public int Id { get; set; }

        public string Name { get; set; } = "";

        public double Value { get; set; }
    }

    public static IReadOnlyList<Client> All { get; } =
    [
        new Client("SharpZipLib: zip", SharpZipAsync),
        new Client("SharpZipLib: bzip2", BZipAsync),
        new Client("CsvHelper", CsvAsync),
        new Client("Newtonsoft.Json", NewtonsoftAsync),
        new Client("Newtonsoft.Json.Bson", Bson),
        new Client("NPOI", Spreadsheet),
        new Client("Google.Protobuf", Protobuf),
        new Client("YamlDotNet", Yaml),
    ];

    private static IEnumerable<Row> Rows(int count) =>
        Enumerable.Range(0, count).Select(i => new Row { Id = i, Name = $"name, \"{i}\"", Value = i / 8.0 });

    private static async Task SharpZipAsync(Workplace place)
    {
        await using (ZipOutputStream zip = new(place.Create("sharp.zip")))
        {
            zip.SetLevel(3);
            for (int i = 0; i < 6; i++)
            {
                zip.PutNextEntry(new ZipEntry($"file{i}") { DateTime = Workplace.Date.UtcDateTime });
                zip.Write(Workplace.Content(25_000, i + 1));
                zip.CloseEntry();
            }
        }

        using ZipFile read = new(place.OpenRead("sharp.zip"));
        for (int i = 5; i >= 0; i--)
        {
            await using Stream entry = read.GetInputStream(i);
            await place.SawRestAsync(entry);
        }

        place.Saw(read.TestArchive(testData: true));
    }

    private static async Task BZipAsync(Workplace place)
    {
        await using (BZip2OutputStream packed = new(place.Create("data.bz2")))
        {
            packed.Write(Workplace.Content(150_000));
        }

        await using BZip2InputStream unpacked = new(place.OpenRead("data.bz2"));
        await place.SawRestAsync(unpacked);
    }

    private static async Task CsvAsync(Workplace place)
    {
        await using (CsvWriter writer = new(new StreamWriter(place.Create("rows.csv")), CultureInfo.InvariantCulture))
        {
            await writer.WriteRecordsAsync(Rows(5000));
        }

        using CsvReader reader = new(new StreamReader(place.OpenRead("rows.csv")), CultureInfo.InvariantCulture);
        double sum = 0;
        await foreach (Row row in reader.GetRecordsAsync<Row>())
        {
            sum += row.Value + row.Name.Length;
        }

        place.Saw(sum);
    }

    private static async Task NewtonsoftAsync(Workplace place)
    {
        await using (JsonTextWriter writer = new(new StreamWriter(place.Create("rows.json"))))
        {
            await JArray.FromObject(Rows(2000)).WriteToAsync(writer);
        }

        using JsonTextReader reader = new(new StreamReader(place.OpenRead("rows.json")));
        JArray rows = await JArray.LoadAsync(reader);
        place.Saw(rows[1999].ToString());
    }

    private static void Bson(Workplace place)
    {
        JsonSerializer serializer = new();
        using (BsonDataWriter writer = new(place.Create("rows.bson")))
        {
            serializer.Serialize(writer, new { Rows = Rows(2000) });
        }

        using BsonDataReader reader = new(place.OpenRead("rows.bson"));
        place.Saw(serializer.Deserialize<JObject>(reader)!["Rows"]!.Count());
    }

    private static void Spreadsheet(Workplace place)
    {
        using (Stream file = place.Create("book.xls"))
        {
            HSSFWorkbook book = new();
            ISheet sheet = book.CreateSheet("numbers");
            for (int i = 0; i < 800; i++)
            {
                IRow row = sheet.CreateRow(i);
                row.CreateCell(0).SetCellValue(i);
                row.CreateCell(1).SetCellValue($"text {i}");
            }

            book.Write(file);
        }

        using Stream source = place.OpenRead("book.xls");
        ISheet read = new HSSFWorkbook(source).GetSheet("numbers");
        place.Saw(read.LastRowNum);
        place.Saw(read.GetRow(500).GetCell(1).StringCellValue);
    }

    private static void Protobuf(Workplace place)
    {
        using (Stream file = place.Create("messages"))
        {
            foreach (Row row in Rows(3000))
            {
                new Struct { Fields = { ["name"] = Value.ForString(row.Name), ["value"] = Value.ForNumber(row.Value) } }
                    .WriteDelimitedTo(file);
            }
        }

        using Stream source = place.OpenRead("messages");
        double sum = 0;
        while (source.Position < source.Length)
        {
            sum += Struct.Parser.ParseDelimitedFrom(source).Fields["value"].NumberValue;
        }

        place.Saw(sum);
    }

    private static void Yaml(Workplace place)
    {
        using (StreamWriter writer = new(place.Create("rows.yaml"), new UTF8Encoding(false)))
        {
            new SerializerBuilder().Build().Serialize(writer, Rows(1000).ToList());
        }

        using StreamReader reader = new(place.OpenRead("rows.yaml"));
        place.Saw(new DeserializerBuilder().Build().Deserialize<List<Row>>(reader).Sum(r => r.Value));
    }
}
