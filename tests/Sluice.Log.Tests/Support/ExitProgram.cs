using Sluice.Uring;

namespace Sluice.Log.Tests.Support;

/// <summary>Opens a log that is closed at the exit, appends a record, and exits in the middle of something.</summary>
internal static class ExitProgram
{
    private const int ExitCode = 7;

    public static int Run(string directory, string kind)
    {
        SluiceLog log = SluiceLog.Open(directory, new SluiceLogOptions { DisposeOnProcessExit = true });
        log.Append(Records.Make(0, 0, 50), LogDurability.Written);
        log.Append(Records.Make(0, 1, 50), LogDurability.Buffered);
        switch (kind)
        {
            case "own":
                LogReservation reserved = log.Reserve(50);
                reserved.Span.Fill(1);
                Environment.Exit(ExitCode);
                break;
            case "main":
                LogReservation open = log.Reserve(50);
                open.Span.Fill(1);
                return 0;
            case "disk":
                SystemCallFaults.Use(static (call, _, _) =>
                {
                    if (call is "pwrite" or "fsync")
                    {
                        Thread.Sleep(Timeout.Infinite);
                    }

                    return 0;
                });
                Environment.Exit(ExitCode);
                break;
            default:
                AppDomain.CurrentDomain.FirstChanceException += static (_, _) => Environment.Exit(ExitCode);
                SystemCallFaults.Use(static (call, _, _) => call == "pwrite" ? -FailingEngine.ENOSPC : 0);
                log.Append(Records.Make(0, 2, 50), LogDurability.Written);
                break;
        }

        return 1;
    }
}
