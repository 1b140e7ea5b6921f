using System.Text.Json;
using System.Text.Json.Serialization;
using Microsoft.Win32.SafeHandles;
using Sluice.Diagnostics;

namespace Sluice.Cli.Load;

/// <summary>The file in which one process describes itself to the others with which it measures.</summary>
internal sealed record RankNote
{
    private const int MaxBytes = 64 * 1024;

    /// <summary>An unpredictable number, different in each run.</summary>
    public required string Id { get; init; }

    public required string Host { get; init; }

    public required int Process { get; init; }

    /// <summary>The time at which the file was created, by the clock of this process.</summary>
    public required DateTimeOffset At { get; init; }

    /// <summary>The workload as text, which must be the same in all processes.</summary>
    public required string Workload { get; init; }

    /// <summary>
    /// A value derived from the numbers of all processes; null in the first file, which is created before they are known.
    /// </summary>
    public string? Run { get; init; }

    [JsonIgnore]
    public string Maker => $"process {Process} on {Host}, since {At.ToUniversalTime():yyyy-MM-dd HH:mm:ss} UTC";

    /// <summary>Creates the file, which must not exist.</summary>
    /// <exception cref="IOException">The file exists or cannot be created.</exception>
    public void Write(string path)
    {
        using FileStream file = new(path, FileMode.CreateNew, FileAccess.Write, FileShare.Read | FileShare.Delete, bufferSize: 0);
        try
        {
            file.Write(JsonSerializer.SerializeToUtf8Bytes(this, RankJsonContext.Default.RankNote));
        }
        catch
        {
            File.Delete(path);
            throw;
        }
    }

    /// <summary>Reads the file; returns null if it does not exist or is not complete.</summary>
    public static RankNote? TryRead(string path)
    {
        try
        {
            // Only regular files are read, because a read of another type may wait forever.
            using SafeFileHandle? opened = PathKinds.OpenPlain(path);
            if (opened is null)
                return null;
            using FileStream file = new(opened, FileAccess.Read, bufferSize: 0);
            byte[] bytes = new byte[(int)Math.Min(file.Length, MaxBytes)];
            RankNote? note = JsonSerializer.Deserialize(
                bytes.AsSpan(0, file.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false)), RankJsonContext.Default.RankNote);
            return note is { Id: not null, Host: not null, Workload: not null } ? note : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or JsonException or NotSupportedException)
        {
            return null;
        }
    }
}

[JsonSerializable(typeof(RankNote))]
internal sealed partial class RankJsonContext : JsonSerializerContext;
