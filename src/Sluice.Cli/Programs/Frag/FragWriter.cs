using Sluice.Cli.Load;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Frag;

/// <summary>
/// Writes the files of a run. Each file is flushed before the next one is created: a file that is deleted before it is written back does
/// not fragment the volume.
/// </summary>
internal sealed class FragWriter(string root, bool canMap, CancellationToken cancellationToken)
{
    private readonly Memory<byte> _buffer = PinnedBuffer.AllocateRandom((int)ByteSize.MiB, seed: 1);

    /// <returns>The layout of the file; null if the file system does not list extents.</returns>
    public FileLayout? Write(FragStep file)
    {
        string path = Path.Combine(root, file.Name);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        using SluiceHandle handle = SluiceHandle.Open(path, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.Read);
        for (long done = 0; done < file.SizeBytes;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int bytes = (int)Math.Min(_buffer.Length, file.SizeBytes - done);
            handle.Write(_buffer.Span[..bytes], done);
            done += bytes;
        }

        handle.FlushDataToDisk();
        return canMap ? FileLayout.Of(file.Name, file.SizeBytes, handle.GetExtents()) : null;
    }
}
