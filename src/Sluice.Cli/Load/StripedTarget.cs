using Microsoft.Win32.SafeHandles;

namespace Sluice.Cli.Load;

/// <summary>
/// Several files as one target: requests alternate among the files, each read or written from its start. A request never spans two files.
/// </summary>
internal sealed class StripedTarget(IReadOnlyList<IoTarget> parts, int requestSizeBytes) : IoTarget
{
    public override string Side => parts[0].Side;

    public override string Engine => string.Join(", ", parts.Select(p => p.Engine).Distinct());

    /// <summary>The caching mode of the first file that does not have the requested mode, otherwise of the first file.</summary>
    public override FileCaching Caching => (parts.FirstOrDefault(p => p.CachingReason is not null) ?? parts[0]).Caching;

    public override string? CachingReason => parts.Select(p => p.CachingReason).FirstOrDefault(r => r is not null);

    public override int RequestAlignmentBytes => parts.Max(p => p.RequestAlignmentBytes);

    public override SafeFileHandle SafeFileHandle => parts[0].SafeFileHandle;

    public override IReadOnlyList<IoTarget> Parts => parts;

    /// <summary>Opens the files of the workload as one target. For a single file, this is the target of the file itself.</summary>
    public static IoTarget Open(IoSide side, Workload workload)
    {
        var opened = new List<IoTarget>();
        try
        {
            foreach (string path in workload.Paths)
                opened.Add(IoTarget.Open(side, workload.OpenOptionsOf(path)));
            return opened.Count == 1 ? opened[0] : new StripedTarget(opened, workload.RequestSizeBytes);
        }
        catch
        {
            opened.ForEach(o => o.Dispose());
            throw;
        }
    }

    public override int Read(Memory<byte> buffer, long fileOffset) => At(ref fileOffset).Read(buffer, fileOffset);

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, long fileOffset) => At(ref fileOffset).ReadAsync(buffer, fileOffset);

    public override void Write(ReadOnlyMemory<byte> buffer, long fileOffset) => At(ref fileOffset).Write(buffer, fileOffset);

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, long fileOffset) => At(ref fileOffset).WriteAsync(buffer, fileOffset);

    public override void Flush()
    {
        foreach (IoTarget part in parts)
            part.Flush();
    }

    public override async Task FlushAsync()
    {
        foreach (IoTarget part in parts)
            await part.FlushAsync();
    }

    public override void Dispose()
    {
        foreach (IoTarget part in parts)
            part.Dispose();
    }

    private IoTarget At(ref long offset)
    {
        (long request, long within) = Math.DivRem(offset, requestSizeBytes);
        offset = (request / parts.Count * requestSizeBytes) + within;
        return parts[(int)(request % parts.Count)];
    }
}
