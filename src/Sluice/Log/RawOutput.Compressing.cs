using Sluice.Kernel;
using Sluice.Log.Folders;
using Sluice.Log.Segments;

namespace Sluice.Log;

/// <summary>Files that are full are compressed by whichever process has them alone.</summary>
internal sealed partial class RawOutput
{
    private bool CompressNext(HashSet<string> tried)
    {
        foreach (SegmentEntry entry in Full().Where(e => e is { HasPlain: true, HasCompressed: false } && !tried.Contains(e.Path)))
        {
            tried.Add(entry.Path);
            SluiceHandle? file = TryOpenAlone(entry.Path);
            try
            {
                if (file is not null && TryCompress(entry, file))
                {
                    return true;
                }
            }
            finally
            {
                LogFile.Close(file);
            }
        }

        return false;
    }

    private bool TryCompress(SegmentEntry entry, SluiceHandle file)
    {
        if (!Compressor!.TryMakeCopy(file, entry.Path))
        {
            return false;
        }

        if (LogFile.HasNoName(file))
        {
            // Another process took it for one that is not to be kept.
            _folder.TryDelete(entry.UnfinishedPath);
            return false;
        }

        Compressor.Name(entry.Path);
        Compressor.RemoveOriginal(entry.Path);
        return true;
    }

    /// <summary>A file that no process appends to, nor will before this is disposed; null where one does.</summary>
    private SluiceHandle? TryOpenAlone(string path)
    {
        SluiceHandle file = LogFile.Open(path, FileMode.Open, FileAccess.ReadWrite, _settings);
        if (LogFile.LockNow(file, alone: true) == 0)
        {
            return file;
        }

        file.Dispose();
        return null;
    }

    /// <summary>
    /// Removes what an interrupted compression left: an incomplete copy, and a complete copy of a file that still exists.
    /// </summary>
    private void RemoveLeftovers()
    {
        if (!Libc.IsSupported)
        {
            return;
        }

        foreach (SegmentEntry entry in Full().Where(static e => e.HasUnfinished || e is { HasPlain: true, HasCompressed: true }))
        {
            SluiceHandle? file = null;
            try
            {
                file = entry.HasPlain ? TryOpenAlone(entry.Path) : null;
                if (entry.HasUnfinished && (file is not null || !entry.HasPlain))
                {
                    File.Delete(entry.UnfinishedPath);
                }

                if (file is not null && entry.HasCompressed && IsCopyOf(file, entry))
                {
                    File.Delete(entry.CompressedPath);
                }
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                // Not worth that a log cannot be opened: what is there is read by nobody.
            }
            finally
            {
                LogFile.Close(file);
            }
        }
    }

    private static bool IsCopyOf(SluiceHandle file, SegmentEntry entry)
    {
        using SluiceHandle copy = LogFile.OpenToRead(entry.CompressedPath);
        return File.GetLastWriteTimeUtc(file.SafeFileHandle) == File.GetLastWriteTimeUtc(copy.SafeFileHandle)
            && SegmentCompressor.HasContentOf(copy, file);
    }
}
