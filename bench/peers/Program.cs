using System.Globalization;
using Peers;

// dotnet run -c Release --project bench/peers -- DIR [seconds of a turn] [pairs] [part of a row's name]
string folder = args.Length > 0 ? args[0] : Path.GetTempPath();
double seconds = args.Length > 1 ? double.Parse(args[1], CultureInfo.InvariantCulture) : 1;
int pairs = args.Length > 2 ? int.Parse(args[2], CultureInfo.InvariantCulture) : 7;
string only = args.Length > 3 ? args[3] : "";

List<Row> rows = [];
foreach (int threads in (int[])[1, 8, 100])
{
    void Add(string durability, string name, Func<string, Peer> peer) =>
        rows.Add(new Row(durability, name, threads, d => new SluicePeer(d, durability == "durable"), peer));

    Add("durable", "FASTER's FasterLog", static d => new FasterPeer(d));
    Add("durable", "DotNext's WriteAheadLog", static d => new DotNextPeer(d));
    Add("durable", "RocksDB, sync", static d => new RocksPeer(d, sync: true));
    Add("durable", "SQLite WAL, FULL", static d => new SqlitePeer(d, "FULL"));
    Add("durable", "SQLite WAL, FULL, grouped by hand", static d => new GroupedSqlitePeer(d));
    Add("durable", "lock + FileStream.Flush(true)", static d => new StreamPeer(d, toDisk: true));
    Add("written", "RocksDB", static d => new RocksPeer(d, sync: false));
    Add("written", "SQLite WAL, NORMAL", static d => new SqlitePeer(d, "NORMAL"));
    Add("written", "lock + FileStream.Flush()", static d => new StreamPeer(d, toDisk: false));
}

foreach (bool isWritten in (bool[])[true, false])
{
    (string Name, Func<string, Peer> Open)[] own =
    [
        ("Sluice.Extensions.Logging", d => new SluiceLoggerPeer(d, isWritten)),
        ("Sluice.Serilog", d => SerilogPeer.OverSluice(d, isWritten)),
    ];
    (string Name, Func<string, Peer> Open)[] peers =
    [
        ("ZLogger's file", static d => new ZLoggerPeer(d)),
        ("Serilog's file", d => SerilogPeer.OverFile(d, isWritten)),
        ("NLog's file", d => new NLogPeer(d, isWritten)),
    ];
    rows.AddRange(
        from o in own
        from p in peers
        select new Row(isWritten ? "event written" : "event buffered", $"{p.Name}, by {o.Name}", 8, o.Open, p.Open));
}

Console.WriteLine("| row, beside | threads | Sluice a second | peer a second | ratio (95 %) | p50 us | p99 us | CPU us an append | bytes written an append |");
Console.WriteLine("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
foreach (Row row in rows.OrderBy(static r => r.Durability).ThenBy(static r => r.Name).Where(r => r.Label.Contains(only)))
{
    Console.WriteLine(row.Measure(folder, seconds, pairs));
}
