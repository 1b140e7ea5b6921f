using System.Security.Cryptography;

namespace Sluice.Faults.Child.Commands;

/// <summary>Replaces a file for ever, and says of each version that it is durable, and that the next one begins.</summary>
internal static class ReplaceCommand
{
    private const int HashBytes = 32;

    public static async Task<int> RunAsync(string path, int firstVersion)
    {
        await using Stream output = Console.OpenStandardOutput();
        await using StreamWriter acknowledgements = new(output) { AutoFlush = true };
        for (int version = firstVersion; ; version++)
        {
            await SluiceFile.ReplaceAtomicallyAsync(path, Make(version));
            await acknowledgements.WriteLineAsync($"{version}");
            await acknowledgements.WriteLineAsync("next");
        }
    }

    /// <summary>A content that tells its version, and whether it is whole.</summary>
    public static byte[] Make(int version)
    {
        byte[] content = new byte[HashBytes + 4 + (version * 7919 % 60_000)];
        new Random(version).NextBytes(content.AsSpan(HashBytes + 4));
        BitConverter.TryWriteBytes(content.AsSpan(HashBytes), version);
        SHA256.HashData(content.AsSpan(HashBytes)).CopyTo(content, 0);
        return content;
    }

    /// <summary>The version, or null where the content is no whole one.</summary>
    public static int? VersionOf(ReadOnlySpan<byte> content) =>
        content.Length >= HashBytes + 4 && SHA256.HashData(content[HashBytes..]).AsSpan().SequenceEqual(content[..HashBytes])
            ? BitConverter.ToInt32(content[HashBytes..])
            : null;
}
