using System.Text.Json;
using System.Text.Json.Serialization;
using Microsoft.Win32.SafeHandles;
using Sluice.Diagnostics;

namespace Sluice.Cli.Load;

/// <summary>What one process says of itself to the others that it measures with, in a file of its own.</summary>
internal sealed record RankNote
{
    private const int MaxBytes = 64 * 1024;

    /// <summary>A number that nobody can foresee, and that no other run has.</summary>
    public required string Id { get; init; }

    public required string Host { get; init; }

    public required int Process { get; init; }

    /// <summary>When the file was made, by this process's clock.</summary>
    public required DateTimeOffset At { get; init; }

    /// <summary>What is to be measured, as text that is the same for the same.</summary>
    public required string Workload { get; init; }

    /// <summary>What follows from the numbers of all; null in the first file, which is made before they are known.</summary>
    public string? Run { get; init; }

    [JsonIgnore]
    public string Maker => $"process {Process} on {Host}, since {At.ToUniversalTime():yyyy-MM-dd HH:mm:ss} UTC";

    /// <summary>Makes the file, if there is none.</summary>
    /// <exception cref="IOException">There is one, or it cannot be made.</exception>
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

    /// <summary>Null where there is no file, or one that is not whole: its maker may be at it.</summary>
    public static RankNote? TryRead(string path)
    {
        try
        {
            // A read of another kind of file may wait forever.
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
