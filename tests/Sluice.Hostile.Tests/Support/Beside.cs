namespace Sluice.Hostile.Tests.Support;

/// <summary>What other threads do with a stream that one is busy with.</summary>
internal static class Beside
{
    public static (Thread Thread, Func<Exception?> Error) Start(Action action)
    {
        Exception? error = null;
        Thread thread = new(() => error = Record.Exception(action)) { IsBackground = true };
        thread.Start();
        return (thread, () => error);
    }

    public static async Task CallAsync(SluiceStream stream, string call)
    {
        switch (call)
        {
            case "Read":
                _ = stream.Read(new byte[10]);
                break;
            case "ReadByte":
                _ = stream.ReadByte();
                break;
            case "Write":
                stream.Write(new byte[10]);
                break;
            case "WriteByte":
                stream.WriteByte(1);
                break;
            default:
                await stream.WriteByteAsync(1);
                break;
        }
    }
}
