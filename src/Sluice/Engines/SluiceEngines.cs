using Sluice.Uring;

namespace Sluice;

/// <summary>
/// The engines of this process. The environment variable SLUICE_ENGINE chooses: "uring", "pool", or nothing for the ring where the
/// kernel and the sandbox allow it. SLUICE_RINGS sets the number of rings (1; many cores may need several). Thread-safe.
/// </summary>
public static class SluiceEngines
{
    private static readonly Lock CreateLock = new();
    private static UringEngine[]? s_rings;
    private static string? s_uringReason;
    private static bool s_decided;
    private static int s_next;

    /// <summary>The engine that a handle gets when nothing else is asked for.</summary>
    public static IoEngine Default
    {
        get
        {
            EnsureDecided();
            UringEngine[]? rings = s_rings;
            if (rings is null)
            {
                return ThreadPoolEngine.Instance;
            }

            return rings.Length == 1 ? rings[0] : rings[(uint)Interlocked.Increment(ref s_next) % (uint)rings.Length];
        }
    }

    /// <summary>The same as <see cref="Default"/>, but always the same ring for one open file.</summary>
    internal static IoEngine ForDescriptor(int descriptor)
    {
        EnsureDecided();
        UringEngine[]? rings = s_rings;
        return rings is null ? ThreadPoolEngine.Instance : rings.Length == 1 ? rings[0] : rings[(uint)descriptor % (uint)rings.Length];
    }

    /// <summary>The engine that blocks threads of the pool, which is there everywhere.</summary>
    public static IoEngine Pool => ThreadPoolEngine.Instance;

    /// <summary>Why io_uring is not used, in one line; null where it is.</summary>
    public static string? UringReason
    {
        get
        {
            _ = Default;
            return s_uringReason;
        }
    }

    /// <summary>Tries for rings, unless that has been done.</summary>
    internal static void EnsureDecided()
    {
        if (!Volatile.Read(ref s_decided))
        {
            Decide();
        }
    }

    private static void Decide()
    {
        lock (CreateLock)
        {
            if (s_decided)
            {
                return;
            }

            s_uringReason = TryCreateRings();
            Volatile.Write(ref s_decided, true);
        }
    }

    private static string? TryCreateRings()
    {
        string? wish = Environment.GetEnvironmentVariable("SLUICE_ENGINE");
        if (string.Equals(wish, "pool", StringComparison.OrdinalIgnoreCase))
        {
            return "the environment variable SLUICE_ENGINE asks for the pool";
        }

        if (!Interop.Libc.IsSupported)
        {
            return "this operating system or architecture has no io_uring that Sluice knows";
        }

        if (RingProbe.Current.Refusal is { } refusal)
        {
            return refusal;
        }

        _ = int.TryParse(Environment.GetEnvironmentVariable("SLUICE_RINGS"), out int count);
        UringEngine[] rings = new UringEngine[Math.Clamp(count, 1, 256)];
        for (int i = 0; i < rings.Length; i++)
        {
            if (UringEngine.TryCreate(out int errno) is not { } engine)
            {
                // Rings made so far serve; none at all is a refusal.
                if (i == 0)
                {
                    return RingProbe.Explain(-errno);
                }

                Array.Resize(ref rings, i);
                break;
            }

            rings[i] = engine;
        }

        s_rings = rings;
        return null;
    }
}
