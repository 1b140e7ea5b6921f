using System.Globalization;

namespace Sluice.Cli.Report;

/// <summary>The properties of a block device or a partition in sysfs.</summary>
internal sealed class BlockDevice
{
    private readonly string _directory;
    private readonly string _diskDirectory;

    private BlockDevice(string directory)
    {
        _directory = directory;
        // A partition has the queue of its disk.
        _diskDirectory = Directory.Exists(Path.Combine(directory, "queue")) ? directory : Path.GetDirectoryName(directory) ?? directory;
    }

    public string Name => Path.GetFileName(_directory);

    public string? Model => SystemFile.FirstLine(Path.Combine(_diskDirectory, "device", "model"));

    public string? Scheduler => ActiveOf(SystemFile.FirstLine(Path.Combine(_diskDirectory, "queue", "scheduler")));

    public bool? Rotational =>
        SystemFile.FirstLine(Path.Combine(_diskDirectory, "queue", "rotational")) switch { "0" => false, "1" => true, _ => null };

    public int? LogicalBlockSizeBytes => (int?)ReadNumber(Path.Combine(_diskDirectory, "queue", "logical_block_size"));

    // The size in sysfs is in sectors of 512 bytes, whatever the sector size of the device.
    public long? SizeBytes => ReadNumber(Path.Combine(_directory, "size")) * 512;

    /// <summary>
    /// The total time of all requests at the device, in milliseconds (field 11 of the kernel's stat). The counter has 32 bits and overflows
    /// after weeks or hours. Use <see cref="QueuedBetween"/> for differences.
    /// </summary>
    public uint? QueueMilliseconds
    {
        get
        {
            const int Field = 10;
            string? stat = SystemFile.FirstLine(Path.Combine(_directory, "stat"));
            string[] fields = stat?.Split(' ', StringSplitOptions.RemoveEmptyEntries) ?? [];
            return fields.Length > Field && ulong.TryParse(fields[Field], CultureInfo.InvariantCulture, out ulong sum) ? (uint)sum : null;
        }
    }

    /// <summary>
    /// Returns the difference of two values of <see cref="QueueMilliseconds"/>, between which the counter may have overflowed once.
    /// </summary>
    public static long? QueuedBetween(uint? before, uint? after) => unchecked(after - before);

    /// <param name="deviceNumber">The device number, as major:minor.</param>
    public static BlockDevice? FromNumber(string deviceNumber) => FromLink(Path.Combine("/sys/dev/block", deviceNumber));

    /// <summary>Returns the name in brackets, such as mq-deadline in "none [mq-deadline] kyber"; the whole text if there is none.</summary>
    internal static string? ActiveOf(string? choices) => choices?.Split('[', ']') is [_, var active, _] ? active : choices;

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
        long.TryParse(SystemFile.FirstLine(path), CultureInfo.InvariantCulture, out long number) ? number : null;
}
