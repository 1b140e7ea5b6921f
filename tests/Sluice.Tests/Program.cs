using Sluice.Tests.Files;
using Sluice.Tests.Model;
using Sluice.Tests.Streams;

namespace Sluice.Tests;

/// <summary>What tests start as a second process, and the long model run; never called by the test host.</summary>
internal static class Program
{
    public static async Task<int> Main(string[] args)
    {
        switch (args)
        {
            case ["append", string path, string writer, string count]:
                AppendRecords.Run(path, int.Parse(writer), int.Parse(count), isDirect: false);
                return 0;
            case ["append-direct", string path, string writer, string count]:
                AppendRecords.Run(path, int.Parse(writer), int.Parse(count), isDirect: true);
                return 0;
            case ["starved", string path]:
                return StarvedProgram.Run(path);
            case ["small-pool", string path]:
                return PoorMemoryProgram.RunWithSmallPool(path);
            case ["open-exclusively", string path]:
                return OpenExclusively(path);
            case ["model", string engine, string caching, string seed, string steps, string folder]:
                return await ModelProgram.RunAsync(engine, Enum.Parse<FileCaching>(caching, ignoreCase: true), int.Parse(seed),
                    long.Parse(steps), folder);
            case ["stream-model", string configuration, string seed, string steps, string folder]:
                return StreamModelProgram.Run(configuration, long.Parse(seed), long.Parse(steps), folder);
            case ["enumerate-starved", string root, string files]:
                return FilesProgram.EnumerateStarved(root, int.Parse(files));
            case ["batch-without-folder", string root]:
                return await FilesProgram.BatchWithoutFolderAsync(root);
            case ["stream-case", string text, string folder]:
                return StreamModelProgram.RunCase(text, folder);
            default:
                await Console.Error.WriteLineAsync("usage: Sluice.Tests model uring|pool|faulty cached|uncached|direct SEED STEPS FOLDER");
                await Console.Error.WriteLineAsync(
                    "       Sluice.Tests stream-model own|plugged|pool|faulty-cached|uncached|direct SEED STEPS FOLDER");
                await Console.Error.WriteLineAsync("       Sluice.Tests stream-case CASE FOLDER");
                return 2;
        }
    }

    /// <summary>0 when the file could be opened for itself alone, 1 when a lock was in the way.</summary>
    private static int OpenExclusively(string path)
    {
        try
        {
            using SluiceHandle handle = SluiceHandle.Open(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None);
            return 0;
        }
        catch (IOException)
        {
            return 1;
        }
    }
}
