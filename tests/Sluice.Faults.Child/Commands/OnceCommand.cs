namespace Sluice.Faults.Child.Commands;

/// <summary>One replacement or copy, for another user: says "done", or which exception it was.</summary>
internal static class OnceCommand
{
    public static async Task<int> RunAsync(Func<Task> action)
    {
        try
        {
            await action();
            Console.WriteLine("done");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            Console.WriteLine($"{e.GetType().Name}: {e.Message}");
        }

        return 0;
    }

    public static Task CopyAsync(string source, string target) => SluiceFile.CopyAsync(
        source, target,
            new CopyOptions { PreserveMetadata = true, Recurse = Directory.Exists(source), Overwrite = true, FlushToDisk = true });

    /// <summary>Without the source's metadata, as File.Copy.</summary>
    public static Task CopyPlainAsync(string source, string target) =>
        SluiceFile.CopyAsync(source, target, new CopyOptions { Recurse = Directory.Exists(source), Overwrite = true });

    /// <summary>A copy that fails if others may write to the target's folder meanwhile.</summary>
    public static Task CopyClosedAsync(string source, string target) =>
        SluiceFile.CopyAsync(source, target, new CopyOptions { Recurse = true, Progress = new ClosedFolder(target) });

    /// <summary>A copy that its owner may not read.</summary>
    public static Task VerifyAsync(string source, string target) => OperatingSystem.IsWindows()
        ? throw new PlatformNotSupportedException("modes are Unix's")
        : SluiceFile.CopyAsync(source, target, new CopyOptions { Verify = true, UnixCreateMode = UnixFileMode.UserWrite });

    /// <summary>Checks the mode at the first report, which comes with the first bytes and before the folder gets its mode.</summary>
    private sealed class ClosedFolder(string folder) : IProgress<CopyProgress>
    {
        private int _reports;

        public void Report(CopyProgress value)
        {
            const UnixFileMode others = UnixFileMode.GroupWrite | UnixFileMode.OtherWrite;
            if (!OperatingSystem.IsWindows() && Interlocked.Increment(ref _reports) == 1 && (File.GetUnixFileMode(folder) & others) != 0)
            {
                throw new IOException("others may write to the folder while a file is copied");
            }
        }
    }
}
