using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;

namespace Sluice.Faults.Child.Commands;

/// <summary>
/// Takes something away from this process, then opens files and runs every conformance check on them, the caching modes in turn. Prints
/// the engine, the reasons and the failures, one a line; exit code 0 when every check passed.
/// </summary>
internal static class RefuseCommand
{
    private const int LimitMemlock = 8;
    private const int CapabilityIpcLock = 14;
    private const int EPERM = 1;
    private const int ENOSYS = 38;

    public static async Task<int> RunAsync(string scenario, string folder)
    {
        switch (scenario)
        {
            case "setup-eperm":
                Seccomp.Refuse(EPERM, Seccomp.IoUringSetup);
                break;
            case "register-eperm":
                Seccomp.Refuse(EPERM, Seccomp.IoUringRegister);
                break;
            case "enter-eperm":
                Seccomp.Refuse(EPERM, Seccomp.IoUringEnter);
                break;
            case "statx-enosys":
                Seccomp.Refuse(ENOSYS, Seccomp.Statx);
                break;
            case "vectored-enosys":
                Seccomp.Refuse(ENOSYS, Seccomp.Preadv2, Seccomp.Pwritev2);
                break;
            case "vectored-and-rings-enosys":
                Seccomp.Refuse(ENOSYS, Seccomp.Preadv2, Seccomp.Pwritev2, Seccomp.IoUringSetup);
                break;
            case "memlock":
                Native.SetLimit(LimitMemlock, 0);
                Native.DropCapability(CapabilityIpcLock);
                break;
            default:
                Console.Error.WriteLine($"no scenario '{scenario}'");
                return 2;
        }

        string first = Path.Combine(folder, "first");
        using (SluiceHandle handle = SluiceHandle.Open(first, FileMode.Create, FileAccess.ReadWrite))
        {
            Console.WriteLine($"engine={handle.EngineName}");
            Console.WriteLine($"engineReason={handle.EngineReason}");
            Console.WriteLine($"uringReason={SluiceEngines.UringReason}");
        }

        File.Delete(first);
        return await RunChecksAsync(folder);
    }

    private static async Task<int> RunChecksAsync(string folder)
    {
        int failures = 0;
        FileCaching[] cachings = Enum.GetValues<FileCaching>();
        int turn = 0;
        foreach (string check in ConformanceChecks.Names)
        {
            FileCaching caching = cachings[turn++ % cachings.Length];
            try
            {
                await ConformanceChecks.RunAsync(check, new ConformanceTarget(folder, caching, null));
                Console.WriteLine($"pass {check} {caching}");
            }
            catch (Exception e)
            {
                failures++;
                Console.WriteLine($"fail {check} {caching}: {e.ToString().ReplaceLineEndings(" | ")}");
            }
        }

        return failures == 0 ? 0 : 1;
    }
}
