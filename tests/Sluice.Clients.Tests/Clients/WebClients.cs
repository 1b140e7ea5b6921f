using System.Net.Http.Headers;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.FileProviders;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Primitives;
using Sluice.Clients.Tests.Support;

namespace Sluice.Clients.Tests.Clients;

/// <summary>Kestrel: results, ranges, uploads and static files.</summary>
internal static class WebClients
{
    public static IReadOnlyList<Client> All { get; } = [new Client("Kestrel: a result, ranges, an upload, static files", ServeAsync)];

    private static async Task ServeAsync(Workplace place)
    {
        await File.WriteAllBytesAsync(place.PathOf("page.bin"), Workplace.Content());
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Logging.ClearProviders();
        await using WebApplication app = builder.Build();
        app.UseStaticFiles(new StaticFileOptions
        {
            FileProvider = new Provider(place),
            ServeUnknownFileTypes = true,
            RequestPath = "/static"
        });
        app.MapGet("/stream", () => Results.Stream(place.OpenRead("page.bin"), "application/octet-stream", enableRangeProcessing: true));
        app.MapPost("/upload", async (HttpRequest request) =>
        {
            await using Stream file = place.Create("uploaded");
            await request.Body.CopyToAsync(file);
            return Results.Ok();
        });
        await app.StartAsync();
        using (HttpClient client = new() { BaseAddress = new Uri(app.Urls.Single()) })
        {
            foreach (string path in (string[])["/stream", "/static/page.bin"])
            {
                place.SawBytes(await client.GetByteArrayAsync(path));
                foreach ((long? from, long? to) in ((long?, long?)[])[(0, 0), (100_000, 199_999), (650_000, null), (null, 1000)])
                {
                    using HttpRequestMessage request = new(HttpMethod.Get, path);
                    request.Headers.Range = new RangeHeaderValue(from, to);
                    using HttpResponseMessage response = await client.SendAsync(request);
                    place.Saw(response.StatusCode);
                    place.SawBytes(await response.Content.ReadAsByteArrayAsync());
                }
            }

            using HttpResponseMessage posted = await client.PostAsync("/upload", new ByteArrayContent(Workplace.Content(300_000, 5)));
            place.Saw(posted.StatusCode);
        }

        await app.StopAsync();
    }

    /// <summary>Static files through our streams: a provider whose files have no physical path, so that the server asks for a
    /// stream.</summary>
    private sealed class Provider(Workplace place) : IFileProvider
    {
        public IDirectoryContents GetDirectoryContents(string subpath) => NotFoundDirectoryContents.Singleton;

        public IFileInfo GetFileInfo(string subpath) => new Info(place, subpath.TrimStart('/'));

        public IChangeToken Watch(string filter) => NullChangeToken.Singleton;
    }

    private sealed class Info(Workplace place, string name) : IFileInfo
    {
        public bool Exists => File.Exists(place.PathOf(name));

        public bool IsDirectory => false;

        public DateTimeOffset LastModified => Workplace.Date;

        public long Length => new FileInfo(place.PathOf(name)).Length;

        public string Name => name;

        public string? PhysicalPath => null;

        public Stream CreateReadStream() => place.OpenRead(name);
    }
}
