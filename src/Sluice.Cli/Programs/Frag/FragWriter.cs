using Sluice.Cli.Load;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Frag;

/// <summary>
/// Writes the files of a run. Each file is flushed before the next one is created: a file that is deleted before it is written back does
/// not fragment the volume.
/// </summary>
internal sealed class FragWriter(string root, FragProfile profile, bool canMap, CancellationToken cancellationToken)
{
    /// <summary>The number of files that the profile writes at the same time.</summary>
    public const int InterleavedFiles = 8;

    private const int RequestSizeBytes = (int)ByteSize.MiB;
    private const int SmallSteps = 64;
    private const int BlockBytes = 4096;

    private readonly Memory<byte> _buffer = PinnedBuffer.AllocateRandom(RequestSizeBytes, seed: 1);

    public int FilesAtOnce => profile == FragProfile.Interleaved ? InterleavedFiles : 1;

    /// <summary>Writes the files. Several files grow alternately.</summary>
    /// <returns>The layout of each file; empty if the file system does not list extents.</returns>
    public IReadOnlyList<FileLayout> Write(IReadOnlyList<FragStep> files)
    {
        var handles = new List<SluiceHandle>();
        try
        {
            foreach (FragStep file in files)
            {
                string path = Path.Combine(root, file.Name);
                Directory.CreateDirectory(Path.GetDirectoryName(path)!);
                handles.Add(SluiceHandle.Open(path, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.Read));
            }
            WriteInTurns(files, handles);
            return canMap ? [.. files.Select((file, i) => FileLayout.Of(file.Name, file.SizeBytes, handles[i].GetExtents()))] : [];
        }
        finally
        {
            foreach (SluiceHandle handle in handles)
                handle.Dispose();
        }
    }

    private void WriteInTurns(IReadOnlyList<FragStep> files, List<SluiceHandle> handles)
    {
        long[] written = new long[files.Count];
        for (bool more = true; more;)
        {
            more = false;
            for (int i = 0; i < files.Count; i++)
            {
                cancellationToken.ThrowIfCancellationRequested();
                long size = files[i].SizeBytes;
                if (written[i] == size)
                    continue;
                written[i] += WriteStep(handles[i], written[i], Math.Min(StepOf(size), size - written[i]));
                more |= written[i] < size;
            }
        }
    }

    private long WriteStep(SluiceHandle handle, long offset, long length)
    {
        for (long done = 0; done < length;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int bytes = (int)Math.Min(_buffer.Length, length - done);
            handle.Write(_buffer.Span[..bytes], offset + done);
            done += bytes;
        }
        handle.FlushDataToDisk();
        return length;
    }

    private long StepOf(long size) => profile is FragProfile.Append or FragProfile.Interleaved
        ? Math.Max(BlockBytes, (size / SmallSteps + BlockBytes - 1) / BlockBytes * BlockBytes)
        : Math.Max(1, size);
}
