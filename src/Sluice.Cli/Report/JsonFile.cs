using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Report;

internal static class JsonFile
{
    /// <summary>The errno EBUSY.</summary>
    private const int Busy = 16;

    private static readonly TimeSpan ReaderPatience = TimeSpan.FromSeconds(1);

    public static void Write<T>(TextWriter writer, T value, JsonTypeInfo<T> type)
    {
        writer.Write(JsonSerializer.Serialize(value, type));
        writer.Write('\n');
    }

    /// <summary>Checks before the measurement that a result can be written.</summary>
    /// <param name="exists">True if the file exists. Otherwise, the check creates the file and deletes it.</param>
    public static void CheckWritable(string path, bool exists)
    {
        PathArgument.RequireParentOf(path);
        using (new FileStream(path, exists ? FileMode.Open : FileMode.CreateNew, FileAccess.Write))
        {
        }
        if (!exists)
            File.Delete(path);
    }

    /// <summary>
    /// Writes a result. An existing regular file is replaced atomically if the folder permits it, and otherwise overwritten.
    /// </summary>
    /// <param name="path">The path of the result.</param>
    /// <param name="bytes">The complete content.</param>
    /// <param name="mustBeNew">
    /// True if the file did not exist when the command began. The write then fails if it exists now, and a failed write leaves no file.
    /// </param>
    public static void WriteWhole(string path, ReadOnlySpan<byte> bytes, bool mustBeNew)
    {
        if (!mustBeNew && File.Exists(path) && PathKinds.Of(path) != PathKind.Other)
        {
            try
            {
                SluiceFile.ReplaceAtomically(path, bytes);
                return;
            }
            catch (Exception e) when (e is UnauthorizedAccessException or IOException { HResult: Busy })
            {
                // The file is overwritten instead: its folder may not be writable, or the file may be a mount point.
            }
        }
        if (!mustBeNew && PathKinds.Of(path) == PathKind.Other)
        {
            WriteToReader(path, bytes);
            return;
        }
        using SluiceHandle file = SluiceHandle.Open(path, mustBeNew ? FileMode.CreateNew : FileMode.Create, FileAccess.Write);
        try
        {
            file.Write(bytes, 0);
        }
        catch when (mustBeNew)
        {
            File.Delete(path);
            throw;
        }
    }

    /// <summary>
    /// Opens a pipe or device, which may wait for a reader, and writes. After a signal, a wait longer than a second fails.
    /// </summary>
    private static void WriteToReader(string path, ReadOnlySpan<byte> bytes)
    {
        Task<SluiceHandle> opening = Task.Run(() => SluiceHandle.Open(path, FileMode.Open, FileAccess.Write));
        while (Task.WaitAny([opening], ReaderPatience) < 0)
        {
            if (InterruptSignals.IsInterrupted)
                throw new IOException($"{path}: no process reads it");
        }
        using SluiceHandle pipe = opening.GetAwaiter().GetResult();
        pipe.Write(bytes, 0);
    }
}
