using System.Diagnostics;

namespace Sluice.Logging.Tests;

/// <summary>A process that ends without closing its loggers.</summary>
public sealed class ExitTests
{
    public const int Count = 5;

    [Fact]
    public async Task All_events_are_in_the_files_whatever_options_were_given()
    {
        using TempFolder folder = new();
        string host = Environment.ProcessPath is { } own && Path.GetFileNameWithoutExtension(own) == "dotnet" ? own : "dotnet";
        using Process process = Process.Start(host, [typeof(ExitTests).Assembly.Location, folder.Root]);
        await process.WaitForExitAsync().WaitAsync(TimeSpan.FromMinutes(3));
        process.ExitCode.ShouldBe(0);
        foreach (string name in (string[])["sink", "provider"])
        {
            string[] lines = [.. Directory.GetFiles(Path.Combine(folder.Root, name)).SelectMany(File.ReadAllLines)];
            lines.Length.ShouldBe(Count, name);
        }
    }
}
