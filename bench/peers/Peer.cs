using System.Buffers.Binary;
using System.Security.Cryptography;
using DotNext.IO;
using DotNext.Net.Cluster.Consensus.Raft;
using DotNext.Net.Cluster.Consensus.Raft.StateMachine;
using FASTER.core;
using Microsoft.Data.Sqlite;
using RocksDbSharp;
using Sluice;

namespace Peers;

/// <summary>A log whose append returns when its record is as safe as the row says. Many threads call it.</summary>
internal abstract class Peer : IDisposable
{
    /// <summary>200 bytes that do not compress.</summary>
    protected static readonly byte[] Record = RandomNumberGenerator.GetBytes(200);

    /// <summary>Gets a value that indicates whether the time to close, which writes what is buffered, is part of a turn.</summary>
    public virtual bool ClosingCounts => false;

    public abstract void Append(int thread, int number);

    public abstract void Dispose();
}

internal sealed class SluicePeer(string folder, bool toDisk) : Peer
{
    private readonly SluiceLog _log = SluiceLog.Open(folder, new SluiceLogOptions { Durability = toDisk ? LogDurability.Durable : LogDurability.Written });

    public override void Append(int thread, int number) => _log.Append(Record);

    public override void Dispose() => _log.Dispose();
}

internal sealed class StreamPeer(string folder, bool toDisk) : Peer
{
    private readonly Lock _lock = new();
    private readonly FileStream _stream = new(Path.Combine(folder, "log"), FileMode.CreateNew, FileAccess.Write);

    public override void Append(int thread, int number)
    {
        lock (_lock)
        {
            _stream.Write(Record);
            _stream.Flush(toDisk);
        }
    }

    public override void Dispose() => _stream.Dispose();
}

/// <summary>One thread commits whatever was enqueued, again and again; appenders wait for the commit that covers theirs.</summary>
internal abstract class Grouped : Peer
{
    private readonly object _gate = new();
    private readonly Thread _thread;
    private long _appended;
    private long _committed = -1;
    private bool _stop;
    private Exception? _failure;

    protected Grouped() => _thread = new Thread(Run);

    protected void Start() => _thread.Start();

    /// <summary>Commits what was appended up to this position at least, and returns the position that is committed.</summary>
    protected abstract long CommitTo(long position);

    protected void WaitFor(long position)
    {
        lock (_gate)
        {
            if (position > _appended)
            {
                _appended = position;
                Monitor.PulseAll(_gate);
            }
            while (_committed < position)
            {
                if (_failure is not null)
                {
                    throw new IOException("The commit failed.", _failure);
                }
                Monitor.Wait(_gate);
            }
        }
    }

    private void Run()
    {
        while (true)
        {
            long to;
            lock (_gate)
            {
                while (!_stop && _committed >= _appended)
                {
                    Monitor.Wait(_gate);
                }
                if (_committed >= _appended)
                {
                    return;
                }
                to = _appended;
            }
            try
            {
                to = CommitTo(to);
            }
            catch (Exception e)
            {
                _failure = e;
                to = long.MaxValue;
            }
            lock (_gate)
            {
                _committed = to;
                Monitor.PulseAll(_gate);
            }
        }
    }

    protected void Stop()
    {
        lock (_gate)
        {
            _stop = true;
            Monitor.PulseAll(_gate);
        }
        _thread.Join();
        if (_failure is not null)
        {
            throw new IOException("The commit failed.", _failure);
        }
    }
}

internal sealed class FasterPeer : Peer
{
    private readonly IDevice _device;
    private readonly FasterLog _log;
    private readonly Thread _committer;
    private readonly AutoResetEvent _work = new(false);
    private volatile bool _stop;

    public FasterPeer(string folder)
    {
        _device = Devices.CreateLogDevice(Path.Combine(folder, "log"));
        _log = new FasterLog(new FasterLogSettings { LogDevice = _device, LogChecksum = LogChecksumType.PerEntry });
        _committer = new Thread(() =>
        {
            while (!_stop)
            {
                _work.WaitOne();
                _log.Commit(spinWait: true);
            }
        });
        _committer.Start();
    }

    public override void Append(int thread, int number)
    {
        long address = _log.Enqueue(Record);
        _work.Set();
        _log.WaitForCommit(address + 1);
    }

    public override void Dispose()
    {
        _stop = true;
        _work.Set();
        _committer.Join();
        _log.Dispose();
        _device.Dispose();
    }
}

internal sealed class DotNextPeer : Grouped
{
    private readonly WriteAheadLog _log;

    public DotNextPeer(string folder)
    {
        WriteAheadLog.Options options = new()
        {
            Location = folder,
            MemoryManagement = WriteAheadLog.MemoryManagementStrategy.PrivateMemory,
        };
        _log = new WriteAheadLog(options, IStateMachine.CreateNoOp(1_000_000_000));
        _log.InitializeAsync().GetAwaiter().GetResult();
        Start();
    }

    public override void Append(int thread, int number) => WaitFor(_log.AppendAsync(new Entry(Record)).AsTask().GetAwaiter().GetResult());

    protected override long CommitTo(long position)
    {
        _log.CommitAsync(position).AsTask().GetAwaiter().GetResult();
        return position;
    }

    public override void Dispose()
    {
        Stop();
        _log.DisposeAsync().AsTask().GetAwaiter().GetResult();
    }

    private readonly struct Entry(byte[] record) : IRaftLogEntry
    {
        public long Term => 1;

        public bool IsSnapshot => false;

        bool IDataTransferObject.IsReusable => true;

        long? IDataTransferObject.Length => record.Length;

        ValueTask IDataTransferObject.WriteToAsync<TWriter>(TWriter writer, CancellationToken token) => writer.WriteAsync(record, null, token);
    }
}

internal sealed class RocksPeer : Peer
{
    private readonly RocksDb _db;
    private readonly WriteOptions _write;
    private long _key;

    public RocksPeer(string folder, bool sync)
    {
        _db = RocksDb.Open(new DbOptions().SetCreateIfMissing(), folder);
        _write = new WriteOptions().SetSync(sync);
    }

    public override void Append(int thread, int number)
    {
        byte[] key = new byte[8];
        BinaryPrimitives.WriteInt64BigEndian(key, Interlocked.Increment(ref _key));
        _db.Put(key, Record, null, _write);
    }

    public override void Dispose() => _db.Dispose();
}

internal sealed class SqlitePeer : Peer
{
    private readonly Lock _lock = new();
    private readonly SqliteConnection _connection;
    private readonly SqliteCommand _insert;
    private readonly SqliteParameter _record;

    public SqlitePeer(string folder, string synchronous)
    {
        _connection = Sql.Open(folder, synchronous);
        (_insert, _record) = Sql.Insert(_connection);
    }

    public override void Append(int thread, int number)
    {
        lock (_lock)
        {
            _record.Value = Record;
            _insert.ExecuteNonQuery();
        }
    }

    public override void Dispose()
    {
        _insert.Dispose();
        _connection.Dispose();
    }
}

/// <summary>Records are queued; one thread inserts those that wait in one transaction.</summary>
internal sealed class GroupedSqlitePeer : Grouped
{
    private readonly Lock _lock = new();
    private readonly SqliteConnection _connection;
    private readonly SqliteCommand _insert;
    private readonly SqliteParameter _record;
    private List<byte[]> _queue = [];
    private long _last;

    public GroupedSqlitePeer(string folder)
    {
        _connection = Sql.Open(folder, "FULL");
        (_insert, _record) = Sql.Insert(_connection);
        Start();
    }

    public override void Append(int thread, int number)
    {
        long mine;
        lock (_lock)
        {
            _queue.Add(Record);
            mine = ++_last;
        }
        WaitFor(mine);
    }

    protected override long CommitTo(long position)
    {
        List<byte[]> records;
        lock (_lock)
        {
            (records, _queue) = (_queue, []);
            position = _last;
        }
        using SqliteTransaction transaction = _connection.BeginTransaction();
        _insert.Transaction = transaction;
        foreach (byte[] record in records)
        {
            _record.Value = record;
            _insert.ExecuteNonQuery();
        }
        transaction.Commit();
        return position;
    }

    public override void Dispose()
    {
        Stop();
        _insert.Dispose();
        _connection.Dispose();
    }
}

internal static class Sql
{
    public static SqliteConnection Open(string folder, string synchronous)
    {
        var connection = new SqliteConnection($"Data Source={Path.Combine(folder, "log.db")};Pooling=False");
        connection.Open();
        using SqliteCommand setup = connection.CreateCommand();
        setup.CommandText = $"PRAGMA journal_mode=WAL; PRAGMA synchronous={synchronous}; CREATE TABLE log (id INTEGER PRIMARY KEY, record BLOB)";
        setup.ExecuteNonQuery();
        return connection;
    }

    public static (SqliteCommand, SqliteParameter) Insert(SqliteConnection connection)
    {
        SqliteCommand insert = connection.CreateCommand();
        insert.CommandText = "INSERT INTO log (record) VALUES ($record)";
        SqliteParameter record = insert.Parameters.Add("$record", SqliteType.Blob);
        insert.Prepare();
        return (insert, record);
    }
}
