using LiteDB;
using Sluice.Clients.Tests.Support;

namespace Sluice.Clients.Tests.Clients;

/// <summary>
/// LiteDB, a database in one stream, with a log in another. Of streams that are given to it, FileStreams too, it flushes none to the disk.
/// </summary>
internal static class DatabaseClients
{
    private const string Data = "data.db";
    private const string Log = "data-log.db";
    private const int Documents = 400;

    public static IReadOnlyList<Client> All { get; } =
    [
        new Client("LiteDB", static place => Database(place, static stream => stream)),
        new Client("LiteDB, over AsFileStream", static place => Database(place, Workplace.AsFileStream)),
    ];

    private static void Database(Workplace place, Func<Stream, Stream> wrap)
    {
        Write(wrap(place.Create(Data)), wrap(place.Create(Log)));
        Read(place, wrap(Open(Data)), wrap(Open(Log)));

        // What is there is what a FileStream finds.
        Read(place, File.Open(place.PathOf(Data), FileMode.Open), File.Open(place.PathOf(Log), FileMode.Open));

        // Its bytes are others each time: LiteDB tosses a coin for each entry of an index.
        File.Delete(place.PathOf(Data));
        File.Delete(place.PathOf(Log));

        Stream Open(string name) => place.Open(name, FileMode.Open, FileAccess.ReadWrite);
    }

    private static void Write(Stream data, Stream log)
    {
        using (data)
        using (log)
        {
            using LiteDatabase database = new(data, new BsonMapper(), log);
            ILiteCollection<BsonDocument> rows = database.GetCollection("rows", BsonAutoId.Int32);
            rows.EnsureIndex("name", "$.name");
            for (int i = 0; i < Documents; i++)
            {
                rows.Insert(new BsonDocument { ["name"] = $"name {i * 7 % Documents}", ["content"] = Workplace.Content(i, i + 1) });
            }

            database.BeginTrans();
            rows.DeleteMany("$._id > 300 and $._id <= 350");
            database.Rollback();
            rows.DeleteMany("$._id > 100 and $._id <= 150");
            database.Checkpoint();
            for (int i = 1; i <= 20; i++)
            {
                rows.Update(i, new BsonDocument { ["name"] = $"changed {i}", ["content"] = Workplace.Content(2000 + i, i) });
            }

            using MemoryStream file = new(Workplace.Content(60_000));
            database.FileStorage.Upload("file", "file.bin", file);
        }
    }

    private static void Read(Workplace place, Stream data, Stream log)
    {
        using (data)
        using (log)
        {
            using LiteDatabase database = new(data, new BsonMapper(), log);
            ILiteCollection<BsonDocument> rows = database.GetCollection("rows", BsonAutoId.Int32);
            place.Saw(rows.Count());
            place.Saw(rows.FindOne("$.name = 'name 193'")["_id"]);
            place.Saw(rows.FindOne("$.name = 'changed 5'")["_id"]);
            foreach (BsonDocument row in rows.FindAll())
            {
                place.Saw($"{row["_id"]} {row["name"]}");
                place.SawBytes(row["content"].AsBinary);
            }

            using MemoryStream content = new();
            database.FileStorage.FindById("file").CopyTo(content);
            place.SawBytes(content.ToArray());
        }
    }
}
