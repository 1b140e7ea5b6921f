using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;

namespace Sluice.Faults.Child.Commands;

/// <summary>Prints what synchronous calls make and what a question for the engine makes, one a line.</summary>
internal static class EngineCommand
{
    private const int BlockBytes = 4096;

    public static int Run(string folder)
    {
        string path = Path.Combine(folder, "file");
        byte[] content = Pattern.Bytes(11, 64 * BlockBytes);
        File.WriteAllBytes(path, content);
        RunSynchronously(path, content);
        PrintResources("after");
        using (SluiceHandle handle = SluiceHandle.Open(path))
        {
            Console.WriteLine($"engine={handle.EngineName}");
        }

        PrintResources("asked");
        return 0;
    }

    private static void RunSynchronously(string path, byte[] content)
    {
        byte[] read = new byte[content.Length];
        foreach (FileCaching caching in Enum.GetValues<FileCaching>())
        {
            using SluiceHandle handle = SluiceHandle.Open(path, FileMode.Open, FileAccess.ReadWrite, caching: caching);
            _ = handle.Read(read, 0);
            handle.Write(content.AsSpan(0, 2 * BlockBytes), 0);
            FileModel.ShouldMatch(read, content, "read");
        }
    }

    /// <summary>Prints the number of rings and threads of the library in this process.</summary>
    private static void PrintResources(string when) => Console.WriteLine($"{when}={Resources()}");

    private static string Resources()
    {
        int rings = new DirectoryInfo("/proc/self/fd").EnumerateFileSystemInfos()
            .Count(static f => f.LinkTarget?.Contains("io_uring", StringComparison.Ordinal) == true);
        int threads = Directory.GetDirectories("/proc/self/task")
            .Count(static task => NameOf(task).StartsWith("Sluice", StringComparison.Ordinal));
        return $"{rings} rings, {threads} threads";
    }

    private static string NameOf(string task)
    {
        try
        {
            return File.ReadAllText(Path.Combine(task, "comm"));
        }
        catch (IOException)
        {
            // It ended while the folder was being listed.
            return "";
        }
    }
}
