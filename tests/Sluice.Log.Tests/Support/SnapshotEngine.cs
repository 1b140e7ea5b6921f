namespace Sluice.Log.Tests.Support;

/// <summary>
/// Keeps what a folder's files held before each write and each flush, and after the last. One thread's operations only.
/// </summary>
internal sealed class SnapshotEngine(string directory, string pattern) : InterceptingEngine
{
    /// <summary>What the files held before an operation, and whether that operation is a flush.</summary>
    public List<(Dictionary<string, byte[]> Files, bool IsFlush)> Steps { get; } = [];

    public override string Name => "snapshot";

    public void TakeLast() => Steps.Add((Take(), false));

    protected override Interception OnSubmit(in IoSubmission submission)
    {
        if (!submission.IsRead)
        {
            Steps.Add((Take(), !submission.IsWrite));
        }

        return Interception.PassOn;
    }

    private Dictionary<string, byte[]> Take() =>
        Directory.Exists(directory)
            ? Directory.GetFiles(directory, pattern).ToDictionary(static f => Path.GetFileName(f), Read)
            : [];

    private static byte[] Read(string path)
    {
        using FileStream file = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        byte[] bytes = new byte[file.Length];
        file.ReadExactly(bytes);
        return bytes;
    }
}
