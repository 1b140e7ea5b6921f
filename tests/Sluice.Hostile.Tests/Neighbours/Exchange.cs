using System.Runtime.InteropServices;

namespace Sluice.Hostile.Tests.Neighbours;

/// <summary>Two names that change places, as fast as the kernel does it and without a moment in which one of them is missing.</summary>
internal static unsafe partial class Exchange
{
    private const int CurrentFolder = -100;
    private const uint RenameExchange = 2;

    /// <summary>Exchanges pairs of names until the process is killed; one that cannot be exchanged now may be so later.</summary>
    public static int Run(string[] names)
    {
        Console.WriteLine("ready");
        while (true)
        {
            for (int i = 0; i + 1 < names.Length; i += 2)
            {
                _ = renameat2(CurrentFolder, names[i], CurrentFolder, names[i + 1], RenameExchange);
            }
        }
    }

    [LibraryImport("libc", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int renameat2(int fromFolder, string from, int toFolder, string to, uint flags);
}
