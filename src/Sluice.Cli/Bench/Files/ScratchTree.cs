using System.Diagnostics;

namespace Sluice.Cli.Bench.Files;

/// <summary>A file or folder that a row makes again and again; removed, and what was written settled, before each time and at the end.</summary>
internal sealed class ScratchTree(string path, Action? make = null) : IDisposable
{
    public string FullPath => path;

    public void Renew()
    {
        Dispose();
        // Or the writing back of one side's files would burden the other's slice.
        Run("sync", "--file-system", Path.GetDirectoryName(path)!);
        make?.Invoke();
    }

    public void Dispose()
    {
        if (Directory.Exists(path))
            Directory.Delete(path, recursive: true);
        else
            File.Delete(path);
    }

    /// <summary>Runs a program of the system to its end, one of the peers.</summary>
    public static void Run(string name, params string[] arguments)
    {
        using Process process = Process.Start(new ProcessStartInfo(name, arguments) { UseShellExecute = false })
            ?? throw new IOException($"{name} could not be started");
        process.WaitForExit();
        if (process.ExitCode != 0)
            throw new IOException($"{name} ended with {process.ExitCode}");
    }
}
