using Sluice.Log;
using Sluice.Log.Folders;
using Sluice.Log.Segments;

namespace Sluice;

// Opens logs.
public sealed partial class SluiceLog
{
    /// <summary>Opens a log for appending. The directory is created if it does not exist.</summary>
    /// <param name="directory">
    /// The path of the log's directory. A framed log must not share its directory with another framed log.
    /// </param>
    /// <param name="options">The options of the log, or <see langword="null"/> (the default) for the default options.</param>
    /// <returns>The open log.</returns>
    /// <remarks>
    /// A framed log consists of segment files. The method checks the start, the end and the order of all segments and the whole content of
    /// the last segment. Then it removes an incomplete record at the end of the log (see <see cref="Cut"/>) and makes the remaining data
    /// durable. A raw log is not checked.
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="directory"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">
    /// <paramref name="directory"/> is empty, or an option has an invalid value. Nothing is created.
    /// </exception>
    /// <exception cref="SluiceLogDamagedException">
    /// The log is damaged, or records that had been made durable are missing. Nothing is changed, except that a removal of records that
    /// <see cref="TruncateAfter(long)"/> has begun is completed.
    /// </exception>
    /// <exception cref="IOException">
    /// <paramref name="directory"/> is a file, the framed log is already open for appending, or the operating system reported an error.
    /// </exception>
    /// <exception cref="NotSupportedException">A file of the log has a format that this version does not read.</exception>
    /// <exception cref="UnauthorizedAccessException">
    /// The process is not permitted to write to the directory or to one of the files.
    /// </exception>
    /// <exception cref="PlatformNotSupportedException">
    /// The options specify a compressed raw log, and the operating system is not Linux.
    /// </exception>
    public static SluiceLog Open(string directory, SluiceLogOptions? options = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        SluiceLogOptions settings = (options ?? new SluiceLogOptions()).Check();
        directory = Path.TrimEndingDirectorySeparator(Path.GetFullPath(directory));
        LogFolder folder = LogFolder.Make(directory, settings.Names);
        WriterLock? writerLock = null;
        LogOutput? output = null;
        try
        {
            if (settings.Format == LogFormat.Raw)
            {
                output = new RawOutput(folder, settings);
                return new SluiceLog(folder, settings, output, null, null);
            }

            writerLock = WriterLock.Take(folder, settings.UnixCreateMode);
            folder.ThrowIfOfRemovedFeature();
            CompleteRemoval(folder, settings, writerLock);
            RecoveredLog found = RecoveredLog.Open(folder, settings, writerLock);
            output = new FramedOutput(folder, settings, found);
            return new SluiceLog(folder, settings, output, writerLock, found);
        }
        catch
        {
            output?.Dispose();
            writerLock?.Dispose();
            folder.Close();
            throw;
        }
    }

    /// <summary>Completes a removal of records at the log's end that a crash or an error has interrupted, if there is one.</summary>
    private static void CompleteRemoval(LogFolder folder, SluiceLogOptions settings, WriterLock writerLock)
    {
        if (!folder.MayContain(folder.RemovalPath))
        {
            return;
        }

        if (TailRemoval.TryRead(folder) is { } removal)
        {
            long largest = Math.Max(writerLock.State?.LargestId ?? 0, folder.List().LastOrDefault());
            removal.Apply(folder, settings, durable =>
            {
                writerLock.Write(settings, removal.LogId, durable, largest);
                writerLock.Flush(settings);
            }).Dispose();
        }
        else
        {
            TailRemoval.Delete(folder);
        }
    }
}
