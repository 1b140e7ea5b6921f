namespace Sluice.Faults.Child.Commands;

/// <summary>Makes calls that programs make every day, by Sluice or by System.IO, and looks for a file named after each one before it.</summary>
internal static class CallsCommand
{
    public const string Mark = "/call-";

    private static readonly byte[] Bytes = new byte[100];
    private static readonly byte[] Page = new byte[4096];

    private static readonly Dictionary<string, (Action<string> Sluice, Action<string> Net)> Calls = new()
    {
        ["read-by-stream"] = (
            static path =>
            {
                using SluiceStream stream = SluiceFile.OpenRead(path);
                stream.ReadExactly(Page);
            },
            static path =>
            {
                using FileStream stream = File.OpenRead(path);
                stream.ReadExactly(Page);
            }
        ),
        ["read-by-handle"] = (
            static path =>
            {
                using SluiceHandle handle = SluiceFile.OpenHandle(path);
                handle.Read(Page, 0);
            },
            static path =>
            {
                using Microsoft.Win32.SafeHandles.SafeFileHandle handle = File.OpenHandle(path);
                RandomAccess.Read(handle, Page, 0);
            }
        ),
        ["read-all-text"] = (static path => SluiceFile.ReadAllText(path), static path => File.ReadAllText(path)),
        ["read-all-bytes"] = (static path => SluiceFile.ReadAllBytes(path), static path => File.ReadAllBytes(path)),
        ["write-all-text"] = (static path => SluiceFile.WriteAllText(path, "text"), static path => File.WriteAllText(path, "text")),
        ["write-all-bytes"] = (static path => SluiceFile.WriteAllBytes(path, Page), static path => File.WriteAllBytes(path, Page)),
        ["write-by-stream"] = (
            static path =>
            {
                using SluiceStream stream = SluiceFile.Create(path);
                stream.Write(Bytes);
            },
            static path =>
            {
                using FileStream stream = File.Create(path);
                stream.Write(Bytes);
            }
        ),
    };

    public static IEnumerable<string> Names => Calls.Keys;

    /// <summary>Makes each call twice, because the first use of a type may make calls that later uses do not make.</summary>
    public static int Run(string path, string side)
    {
        foreach ((string name, (Action<string> sluice, Action<string> net)) in Calls)
        {
            Action<string> call = side == "sluice" ? sluice : net;
            File.WriteAllBytes(path, Page);
            call(path);
            File.WriteAllBytes(path, Page);
            _ = File.Exists(Mark + name);
            call(path);
            _ = File.Exists(Mark);
        }

        return 0;
    }
}
