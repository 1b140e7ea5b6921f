using Microsoft.Playwright;
using Xunit;

namespace Sluice.Cli.Tests.Report.Html;

/// <summary>One Chromium for all tests of a class; none where it is not installed.</summary>
public sealed class BrowserFixture : IAsyncLifetime
{
    private static readonly string[] Names = ["chromium", "chromium-browser", "google-chrome"];

    private IPlaywright? _playwright;

    public IBrowser? Browser { get; private set; }

    /// <summary>Why there is no browser, or null.</summary>
    public string? Reason { get; private set; }

    public async Task InitializeAsync()
    {
        string? path = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator)
            .SelectMany(folder => Names.Select(name => Path.Combine(folder, name))).FirstOrDefault(File.Exists);
        if (path is null)
        {
            Reason = $"none of {string.Join(", ", Names)} is on the PATH";
            return;
        }
        try
        {
            _playwright = await Playwright.CreateAsync();
            Browser = await _playwright.Chromium.LaunchAsync(new BrowserTypeLaunchOptions
            {
                ExecutablePath = path,
                // Chromium refuses its sandbox to root.
                ChromiumSandbox = Environment.UserName != "root",
                // Containers often have a /dev/shm that is too small for it.
                Args = ["--disable-dev-shm-usage"],
            });
        }
        catch (PlaywrightException e)
        {
            Reason = $"{path} does not start: {e.Message.Split('\n')[0]}";
        }
    }

    public async Task DisposeAsync()
    {
        if (Browser is not null)
            await Browser.CloseAsync();
        _playwright?.Dispose();
    }
}
