using System.Reflection;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;

namespace Sluice.Faults.Child.Commands;

/// <summary>
/// Takes something away from this process, then opens files and runs every conformance check on them. Prints the engine, the reasons
/// and the failures, one a line; exit code 0 when every check passed.
/// </summary>
internal static class RefuseCommand
{
    private const int LimitNoFile = 7;
    private const int LimitMemlock = 8;
    private const int CapabilityIpcLock = 14;
    private const int EPERM = 1;
    private const int ENOSYS = 38;

    public static async Task<int> RunAsync(string scenario, string folder)
    {
        List<int> hoard = [];
        switch (scenario)
        {
            case "nothing":
                break;
            case "setup-eperm":
                Seccomp.Refuse(EPERM, Seccomp.IoUringSetup);
                break;
            case "setup-enosys":
                Seccomp.Refuse(ENOSYS, Seccomp.IoUringSetup);
                break;
            case "register-eperm":
                Seccomp.Refuse(EPERM, Seccomp.IoUringRegister);
                break;
            case "enter-eperm":
                Seccomp.Refuse(EPERM, Seccomp.IoUringEnter);
                break;
            case "all-eperm":
                Seccomp.Refuse(EPERM, Seccomp.IoUringSetup, Seccomp.IoUringEnter, Seccomp.IoUringRegister);
                break;
            case "statx-enosys":
                Seccomp.Refuse(ENOSYS, Seccomp.Statx);
                break;
            case "preadv2-enosys":
                Seccomp.Refuse(ENOSYS, Seccomp.Preadv2, Seccomp.Pwritev2);
                break;
            case "memlock":
                Native.SetLimit(LimitMemlock, 0);
                Native.DropCapability(CapabilityIpcLock);
                break;
            case "descriptors":
                LoadEverything();
                hoard = TakeDescriptors();

                // One for the file, none for a ring.
                Give(hoard, 1);
                break;
            default:
                Console.Error.WriteLine($"no scenario '{scenario}'");
                return 2;
        }

        string first = Path.Combine(folder, "first");
        using (SluiceHandle handle = SluiceHandle.Open(first, FileMode.Create, FileAccess.ReadWrite))
        {
            Give(hoard, hoard.Count);
            Console.WriteLine($"engine={handle.Engine}");
            Console.WriteLine($"engineReason={handle.EngineReason}");
            Console.WriteLine($"uringReason={SluiceEngines.UringReason}");
        }

        File.Delete(first);
        return await RunChecksAsync(folder);
    }

    private static async Task<int> RunChecksAsync(string folder)
    {
        int failures = 0;
        foreach (FileCaching caching in Enum.GetValues<FileCaching>())
        {
            ConformanceTarget target = new(folder, caching, null);
            foreach (string check in ConformanceChecks.Names)
            {
                try
                {
                    await ConformanceChecks.RunAsync(check, target);
                    Console.WriteLine($"pass {check} {caching}");
                }
                catch (Exception e)
                {
                    failures++;
                    Console.WriteLine($"fail {check} {caching}: {e.ToString().ReplaceLineEndings(" | ")}");
                }
            }
        }

        return failures == 0 ? 0 : 1;
    }

    /// <summary>Assemblies and type initializers open files: all of that first.</summary>
    private static void LoadEverything()
    {
        Queue<Assembly> queue = new([typeof(SluiceHandle).Assembly, typeof(RefuseCommand).Assembly]);
        HashSet<string> seen = [];
        while (queue.TryDequeue(out Assembly? assembly))
        {
            foreach (AssemblyName name in assembly.GetReferencedAssemblies())
            {
                if (seen.Add(name.FullName))
                {
                    queue.Enqueue(Assembly.Load(name));
                }
            }
        }

        Console.Out.Flush();
    }

    private static List<int> TakeDescriptors()
    {
        Native.SetLimit(LimitNoFile, 256);
        List<int> taken = [];
        for (int fd = Native.OpenNull(); fd >= 0; fd = Native.OpenNull())
        {
            taken.Add(fd);
        }

        return taken;
    }

    private static void Give(List<int> hoard, int count)
    {
        for (int i = 0; i < count; i++)
        {
            Native.Close(hoard[^1]);
            hoard.RemoveAt(hoard.Count - 1);
        }
    }
}
