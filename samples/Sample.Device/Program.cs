// FasterLog and FasterKV of Microsoft FASTER over SluiceHandle: a storage device, and a factory for the devices of commits and checkpoints.
//   Sample.Device                     writes, reopens and checks a log and a store
//   Sample.Device --measure FOLDER    compares with FASTER's ManagedLocalStorageDevice in a folder
using FASTER.core;
using Sample.Device;

if (args is ["--measure", var place])
{
    return Measurement.Run(place);
}

string directory = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}-device");
try
{
    CheckLog(Path.Combine(directory, "log"));
    CheckStore(Path.Combine(directory, "store"));
    return 0;
}
finally
{
    Directory.Delete(directory, recursive: true);
}

static void CheckLog(string folder)
{
    const int entries = 10_000;
    using (IDevice device = new SluiceDevice(Path.Combine(folder, "log")))
    using (FasterLog log = new(LogSettings(device, folder)))
    {
        for (int i = 0; i < entries; i++)
        {
            _ = log.Enqueue(BitConverter.GetBytes(i));
        }

        // Returns when the entries are durable.
        log.Commit(spinWait: true);
    }

    using (IDevice device = new SluiceDevice(Path.Combine(folder, "log")))
    using (FasterLog log = new(LogSettings(device, folder)))
    using (FasterLogScanIterator scan = log.Scan(log.BeginAddress, log.TailAddress))
    {
        int read = 0;
        while (scan.GetNext(out byte[] entry, out _, out _))
        {
            Expect(read++, BitConverter.ToInt32(entry));
        }

        Expect(entries, read);
        Console.WriteLine($"FasterLog: {read} entries recovered");
    }
}

static void CheckStore(string folder)
{
    // 3 MiB of records and 1 MiB of memory: two thirds of them are read from the device.
    const int keys = 128 * 1024;
    using (IDevice device = new SluiceDevice(Path.Combine(folder, "hlog")))
    using (FasterKV<long, long> store = new(StoreSettings(device, folder)))
    {
        using (var session = store.NewSession(new SimpleFunctions<long, long>()))
        {
            for (long key = 0; key < keys; key++)
            {
                _ = session.Upsert(key, key * 3);
            }

            _ = session.CompletePending(wait: true);
        }

        (bool isDone, _) = store.TakeFullCheckpointAsync(CheckpointType.FoldOver).AsTask().GetAwaiter().GetResult();
        Expect(true, isDone);
    }

    using (IDevice device = new SluiceDevice(Path.Combine(folder, "hlog")))
    using (FasterKV<long, long> store = new(StoreSettings(device, folder)))
    {
        store.Recover();
        using var session = store.NewSession(new SimpleFunctions<long, long>());
        int read = 0;
        for (long key = 0; key < keys; key += 100)
        {
            (Status status, long value) = session.Read(key);
            if (status.IsPending)
            {
                _ = session.CompletePendingWithOutputs(out var outputs, wait: true);
                using (outputs)
                {
                    Expect(true, outputs.Next());
                    (status, value) = (outputs.Current.Status, outputs.Current.Output);
                }
            }

            Expect(true, status.Found);
            Expect(key * 3, value);
            read++;
        }

        Console.WriteLine($"FasterKV: {read} of {keys} records of a recovered checkpoint read");
    }
}

static FasterLogSettings LogSettings(IDevice device, string folder) => new()
{
    LogDevice = device,
    LogCommitManager = new DeviceLogCommitCheckpointManager(new SluiceDeviceFactory(), new DefaultCheckpointNamingScheme(folder)),
    LogChecksum = LogChecksumType.PerEntry,
};

static FasterKVSettings<long, long> StoreSettings(IDevice device, string folder) => new()
{
    IndexSize = 1L << 22,
    LogDevice = device,
    PageSize = 1L << 16,
    MemorySize = 1L << 20,
    SegmentSize = 1L << 21,
    CheckpointManager = new DeviceLogCommitCheckpointManager(new SluiceDeviceFactory(), new DefaultCheckpointNamingScheme(folder)),
};

static void Expect<T>(T expected, T actual)
{
    if (!Equals(expected, actual))
    {
        throw new InvalidOperationException($"expected {expected}, found {actual}");
    }
}
