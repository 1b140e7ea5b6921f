using System.Globalization;

namespace Sluice.Cli.Report;

/// <summary>What sysfs says about a block device or a partition of one.</summary>
internal sealed class BlockDevice
{
    private readonly string _directory;
    private readonly string _diskDirectory;

    private BlockDevice(string directory)
    {
        _directory = directory;
        // A partition's queue is its disk's.
        _diskDirectory = Directory.Exists(Path.Combine(directory, "queue")) ? directory : Path.GetDirectoryName(directory) ?? directory;
    }

    public string Name => Path.GetFileName(_directory);

    public string? Model => ReadLine(Path.Combine(_diskDirectory, "device", "model"));

    public string? Scheduler => ActiveOf(ReadLine(Path.Combine(_diskDirectory, "queue", "scheduler")));

    public bool? Rotational =>
        ReadLine(Path.Combine(_diskDirectory, "queue", "rotational")) switch { "0" => false, "1" => true, _ => null };

    public int? LogicalBlockSizeBytes => (int?)ReadNumber(Path.Combine(_diskDirectory, "queue", "logical_block_size"));

    // sysfs counts in 512-byte sectors whatever the device's own are.
    public long? SizeBytes => ReadNumber(Path.Combine(_directory, "size")) * 512;

    /// <summary>
    /// Milliseconds that requests have spent on their way, added up over the requests (field 11 of the kernel's stat). They have 32 bits
    /// and begin again every few weeks, or hours: <see cref="QueuedBetween"/> tells what came to them.
    /// </summary>
    public uint? QueueMilliseconds
    {
        get
        {
            const int Field = 10;
            string[] fields = (ReadLine(Path.Combine(_directory, "stat")) ?? "").Split(' ', StringSplitOptions.RemoveEmptyEntries);
            return fields.Length > Field && ulong.TryParse(fields[Field], NumberStyles.None, CultureInfo.InvariantCulture, out ulong sum)
                ? (uint)sum
                : null;
        }
    }

    /// <summary>What came to <see cref="QueueMilliseconds"/> between two looks, of which the kernel may have begun again once.</summary>
    public static long? QueuedBetween(uint? before, uint? after) => unchecked(after - before);

    /// <param name="deviceNumber">major:minor</param>
    public static BlockDevice? FromNumber(string deviceNumber) => FromLink(Path.Combine("/sys/dev/block", deviceNumber));

    /// <summary>The bracketed one of "none [mq-deadline] kyber".</summary>
    internal static string? ActiveOf(string? choices)
    {
        if (choices is null)
            return null;
        int open = choices.IndexOf('[', StringComparison.Ordinal);
        int close = choices.IndexOf(']', StringComparison.Ordinal);
        return open >= 0 && close > open ? choices[(open + 1)..close] : choices;
    }

    internal static BlockDevice? FromLink(string link)
    {
        try
        {
            return Directory.ResolveLinkTarget(link, returnFinalTarget: true) is { Exists: true } target
                ? new BlockDevice(target.FullName)
                : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private static long? ReadNumber(string path) =>
        long.TryParse(ReadLine(path), NumberStyles.None, CultureInfo.InvariantCulture, out long number) ? number : null;

    private static string? ReadLine(string path)
    {
        try
        {
            return File.Exists(path) ? File.ReadAllText(path).Trim() : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
