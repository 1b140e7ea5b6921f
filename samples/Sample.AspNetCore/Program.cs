// Files of a web application from Sluice: a file provider for static files, and a result with ranges for a download.
using System.Net;
using System.Net.Http.Headers;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.FileProviders;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Primitives;

string directory = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}-web");
Directory.CreateDirectory(directory);
try
{
    byte[] content = new byte[3_000_000];
    Random.Shared.NextBytes(content);
    string file = Path.Combine(directory, "data.bin");
    await SluiceFile.WriteAllBytesAsync(file, content);

    WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
    builder.Logging.ClearProviders();
    builder.WebHost.UseUrls("http://127.0.0.1:0");
    await using WebApplication app = builder.Build();
    using var files = new PhysicalFileProvider(directory);
    app.UseStaticFiles(new StaticFileOptions { FileProvider = new SluiceFileProvider(files), ServeUnknownFileTypes = true });
    app.MapGet("/download", () => Results.Stream(
        new SluiceStream(file, FileMode.Open, FileAccess.Read), "application/octet-stream", enableRangeProcessing: true));
    await app.StartAsync();

    using var client = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
    byte[] whole = await client.GetByteArrayAsync(new Uri("/data.bin", UriKind.Relative));
    bool isSame = content.AsSpan().SequenceEqual(whole);
    using var request = new HttpRequestMessage(HttpMethod.Get, "/download");
    request.Headers.Range = new RangeHeaderValue(1_000_001, 1_999_999);
    using HttpResponseMessage part = await client.SendAsync(request);
    byte[] range = await part.Content.ReadAsByteArrayAsync();
    bool isSamePart = part.StatusCode == HttpStatusCode.PartialContent && content.AsSpan(1_000_001, 999_999).SequenceEqual(range);
    await app.StopAsync();
    Console.WriteLine($"whole file {(isSame ? "the same" : "DIFFERENT")}, range {(isSamePart ? "the same" : "DIFFERENT")}");
    return isSame && isSamePart ? 0 : 1;
}
finally
{
    Directory.Delete(directory, recursive: true);
}

/// <summary>
/// Another provider's files, read by Sluice. PhysicalPath is null: with a path the server would send the file by itself, past this stream.
/// </summary>
internal sealed class SluiceFileProvider(PhysicalFileProvider inner) : IFileProvider
{
    public IDirectoryContents GetDirectoryContents(string subpath) => inner.GetDirectoryContents(subpath);

    public IFileInfo GetFileInfo(string subpath) =>
        inner.GetFileInfo(subpath) is { Exists: true, IsDirectory: false } file ? new SluiceFileInfo(file) : new NotFoundFileInfo(subpath);

    public IChangeToken Watch(string filter) => inner.Watch(filter);

    private sealed class SluiceFileInfo(IFileInfo file) : IFileInfo
    {
        public bool Exists => true;

        public long Length => file.Length;

        public string? PhysicalPath => null;

        public string Name => file.Name;

        public DateTimeOffset LastModified => file.LastModified;

        public bool IsDirectory => false;

        public Stream CreateReadStream() => new SluiceStream(file.PhysicalPath!, new SluiceOptions
        {
            Mode = FileMode.Open,
            Access = FileAccess.Read,
            Share = FileShare.ReadWrite | FileShare.Delete,
        });
    }
}
