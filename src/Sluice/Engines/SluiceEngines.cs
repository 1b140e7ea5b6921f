using System.Runtime.Loader;
using Sluice.Engines;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring;

namespace Sluice;

/// <summary>
/// The engines of this process. The environment variable SLUICE_ENGINE chooses: "uring", "pool", or nothing for the ring where the
/// kernel and the sandbox allow it. SLUICE_RINGS sets the number of rings (1; many cores may need several). A ring is made when the
/// first operation needs it, or when its engine is asked for; should the kernel refuse it later, the pool serves from then on.
/// Thread-safe.
/// </summary>
public static class SluiceEngines
{
    private static readonly Lock StartLock = new();
    private static UringEngine[] s_rings = MakeRings();
    private static string? s_reason = FindReason();
    private static bool s_started;
    private static int s_next;

    /// <summary>The engine that a handle gets when nothing else is asked for.</summary>
    public static IoEngine Default
    {
        get
        {
            Start();
            UringEngine[] rings = s_rings;
            return s_reason is not null ? ThreadPoolEngine.Instance
                : rings.Length == 1 ? rings[0]
                : rings[(uint)Interlocked.Increment(ref s_next) % (uint)rings.Length];
        }
    }

    /// <summary>The engine that blocks threads of the pool, which is there everywhere.</summary>
    public static IoEngine Pool => ThreadPoolEngine.Instance;

    /// <summary>Why io_uring is not used, in one line; null where it is.</summary>
    public static string? UringReason
    {
        get
        {
            Start();
            return Volatile.Read(ref s_reason);
        }
    }

    /// <summary>Whether rings may be made; finds that out, and makes none that stays.</summary>
    internal static bool AllowsRings
    {
        get
        {
            if (Volatile.Read(ref s_reason) is not null)
            {
                return false;
            }

            if (RingProbe.Current.Refusal is not { } refusal)
            {
                return true;
            }

            Refuse(refusal);
            return false;
        }
    }

    /// <summary>The same as <see cref="Default"/>, but always the same ring for one open file; one that may not have been made
    /// yet.</summary>
    internal static IoEngine ForDescriptor(int descriptor)
    {
        UringEngine[] rings = s_rings;
        return Volatile.Read(ref s_reason) is not null ? ThreadPoolEngine.Instance
            : rings.Length == 1 ? rings[0]
            : rings[(uint)descriptor % (uint)rings.Length];
    }

    /// <summary>Makes the rings, unless that has been done or refused.</summary>
    internal static void Start()
    {
        if (Volatile.Read(ref s_started) || Volatile.Read(ref s_reason) is not null)
        {
            return;
        }

        using (StartLock.EnterUninterrupted())
        {
            if (s_started || !AllowsRings)
            {
                return;
            }

            for (int i = 0; i < s_rings.Length; i++)
            {
                if (!s_rings[i].TryStart(out string? reason))
                {
                    // Rings made so far serve; none at all is a refusal.
                    if (i == 0)
                    {
                        Refuse(reason);
                        return;
                    }

                    s_rings = s_rings[..i];
                }
            }

            Volatile.Write(ref s_started, true);
        }
    }

    /// <summary>From here on the pool serves. The first reason stays.</summary>
    internal static void Refuse(string reason) => Interlocked.CompareExchange(ref s_reason, reason, null);

    private static UringEngine[] MakeRings()
    {
        _ = int.TryParse(Environment.GetEnvironmentVariable("SLUICE_RINGS"), out int count);
        UringEngine[] rings = new UringEngine[Math.Clamp(count, 1, 256)];
        for (int i = 0; i < rings.Length; i++)
        {
            rings[i] = new UringEngine();
        }

        if (AssemblyLoadContext.GetLoadContext(typeof(SluiceEngines).Assembly) is { IsCollectible: true } context)
        {
            context.Unloading += static _ => Unload();
        }

        return rings;
    }

    private static string? FindReason() =>
        string.Equals(Environment.GetEnvironmentVariable("SLUICE_ENGINE"), "pool", StringComparison.OrdinalIgnoreCase)
            ? "the environment variable SLUICE_ENGINE asks for the pool"
        : Libc.IsSupported ? null
        : "this operating system or architecture has no io_uring that Sluice knows";

    /// <summary>A thread that waits for completions, and rings that are kept, would hold the load context for ever.</summary>
    private static void Unload()
    {
        Refuse("the load context of the library is being unloaded");
        foreach (UringEngine ring in s_rings)
        {
            ring.Stop();
        }

        RingPools.Close();
    }
}
