// Serilog's own file sink, with its rolling by time and its retention, over a SluiceStream: a hook puts it in the place of the sink's
// FileStream. A limit on the size has no effect then, nor has flushToDiskInterval: the sink counts what goes through its own stream, and
// flushes that one to the disk.
using System.Text;
using Serilog;
using Serilog.Sinks.File;

string directory = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}-hook");
try
{
    await using (var logger = new LoggerConfiguration()
        .WriteTo.File(Path.Combine(directory, "app.log"), rollingInterval: RollingInterval.Day, fileSizeLimitBytes: null,
            hooks: new SluiceHook())
        .CreateLogger())
    {
        for (int i = 0; i < 5000; i++)
        {
            logger.Information("Order {Order} was paid", i);
        }
    }

    int lines = Directory.GetFiles(directory).Sum(static f => File.ReadAllLines(f).Length);
    Console.WriteLine($"{lines} lines");
    return lines == 5000 ? 0 : 1;
}
finally
{
    Directory.Delete(directory, recursive: true);
}

/// <summary>Opens each of the sink's files again. The sink has opened it to append, and others may read it.</summary>
internal sealed class SluiceHook : FileLifecycleHooks
{
    public override Stream OnFileOpened(string path, Stream underlyingStream, Encoding encoding)
    {
        // The sink's own stream first: two streams that append would each have an end of their own.
        underlyingStream.Dispose();
        return new SluiceStream(path, FileMode.Append, FileAccess.Write, FileShare.Read);
    }
}
