using Sluice.Log.Folders;

namespace Sluice.Log.Tests.Support;

/// <summary>Makes a log look as if the machine had been restarted since it was written.</summary>
internal static class Restart
{
    public static void Of(string directory)
    {
        string path = Path.Combine(directory, LogFolder.StateName);
        if (LogState.TryRead(path) is { } state)
        {
            using SluiceHandle file = SluiceHandle.Open(path, FileMode.Open, FileAccess.ReadWrite);
            (state with { Boot = state.Boot + 1 }).Write(file);
        }
    }
}
