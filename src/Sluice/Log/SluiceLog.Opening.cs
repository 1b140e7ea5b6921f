using Sluice.Log;
using Sluice.Log.Folders;
using Sluice.Log.Kept;
using Sluice.Log.Segments;

namespace Sluice;

// How a log is opened.
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
    /// The log is damaged, or records that had been made durable are missing. Nothing is changed.
    /// </exception>
    /// <exception cref="IOException">
    /// The framed log is already open for appending, the operating system reported an error, or a thread could not be started.
    /// </exception>
    /// <exception cref="UnauthorizedAccessException">
    /// The process is not permitted to write to the directory or to one of the files.
    /// </exception>
    /// <exception cref="PlatformNotSupportedException">
    /// The options specify a compressed raw log, and the operating system is not Linux.
    /// </exception>
    public static SluiceLog Open(string directory, SluiceLogOptions? options = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        LogSettings settings = new(options ?? new SluiceLogOptions());
        directory = Path.TrimEndingDirectorySeparator(Path.GetFullPath(directory));
        LogFolder.Make(directory);
        return settings.Format == LogFormat.Raw ? OpenRaw(directory, settings) : OpenFramed(directory, settings);
    }

    private static SluiceLog OpenRaw(string directory, LogSettings settings)
    {
        RawOutput output = new(new LogFolder(directory, settings.Names), settings);
        try
        {
            return new SluiceLog(directory, settings, output, new LogOpening("raw logs have the process's own"));
        }
        catch
        {
            output.Dispose();
            throw;
        }
    }

    private static SluiceLog OpenFramed(string directory, LogSettings settings)
    {
        LogOpening opening = new("as asked for") { Lock = WriterLock.Take(directory, settings.UnixCreateMode) };
        FramedOutput? output = null;
        try
        {
            LogFolder folder = new(directory, settings.Names, opening.Lock);
            output = opening.OpenFramed(folder, settings);
            return new SluiceLog(directory, settings, output, opening);
        }
        catch
        {
            output?.Dispose();

            // It has no record yet.
            opening.Memory?.TryEnd();
            opening.Lock.Dispose();
            throw;
        }
    }

    /// <summary>What a log that is opened begins with: its lock, what was found in the folder, and its memory.</summary>
    private sealed class LogOpening(string memoryReason)
    {
        public WriterLock? Lock { get; init; }

        /// <summary>Of a framed log.</summary>
        public RecoveredLog? Recovered { get; private set; }

        /// <summary>The log's memory, where it outlives the process; else null.</summary>
        public KeptMemory? Memory { get; private set; }

        public string MemoryReason { get; private set; } = memoryReason;

        /// <summary>The last sequence that the files have.</summary>
        public long Written { get; private set; }

        /// <summary>How many records came from the last writer's memory.</summary>
        public long Restored { get; private set; }

        /// <summary>
        /// Checks and mends what is in the folder, writes there what the last writer's memory has behind it, and makes memory for the next
        /// records.
        /// </summary>
        public FramedOutput OpenFramed(LogFolder folder, LogSettings settings)
        {
            FramedOutput? output = null;
            try
            {
                output = Restore(folder, settings);
                if (settings.Memory == LogMemory.Shared)
                {
                    Memory = KeptMemory.TryMake(folder, settings, Recovered!.LogId, out string reason);
                    MemoryReason = reason;
                }

                return output;
            }
            catch
            {
                output?.Dispose();
                throw;
            }
        }

        private FramedOutput Restore(LogFolder folder, LogSettings settings)
        {
            KeptMemory? left = KeptMemory.Find(folder, settings.AcceptLoss);
            FramedOutput? output = null;
            try
            {
                KeptRecords records = new(folder.Path, left);
                settings.MaxFrameBytes = Math.Max(settings.MaxFrameBytes, records.MaxFrameBytes);
                Recovered = RecoveredLog.Open(folder, settings, Lock!.State, records);
                output = new FramedOutput(folder, settings, Recovered);
                Written = records.WriteTo(output, Recovered.NextSequence) - 1;
                Restored = records.Restored;
                left?.End();
                return output;
            }
            catch
            {
                // The next writer finds the memory as it is.
                left?.Leave();
                output?.Dispose();
                throw;
            }
        }
    }
}
