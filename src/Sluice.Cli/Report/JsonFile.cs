using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Report;

internal static class JsonFile
{
    /// <summary>EBUSY.</summary>
    private const int Busy = 16;

    private static readonly TimeSpan ReaderPatience = TimeSpan.FromSeconds(1);

    public static void Write<T>(TextWriter writer, T value, JsonTypeInfo<T> type)
    {
        writer.Write(JsonSerializer.Serialize(value, type));
        writer.Write('\n');
    }

    /// <summary>Checks before the measurement that a result can be written.</summary>
    /// <param name="exists">Whether a file of that name is there; one that is made to try it is gone again.</param>
    public static void CheckWritable(string path, bool exists)
    {
        FolderArgument.RequireParentOf(path);
        using (new FileStream(path, exists ? FileMode.Open : FileMode.CreateNew, FileAccess.Write))
        {
        }
        if (!exists)
            File.Delete(path);
    }

    /// <summary>Writes a result completely, or leaves the earlier state: no file or the old one.</summary>
    /// <param name="path">The file.</param>
    /// <param name="bytes">All of it.</param>
    /// <param name="mustBeNew">Nothing had the name when the command began: whatever has it by now is somebody's.</param>
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
                // The file may be writable although no file can be created beside it, or it may be a mount point.
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

    /// <summary>A write to a pipe waits for its reader; after a signal, only briefly.</summary>
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
