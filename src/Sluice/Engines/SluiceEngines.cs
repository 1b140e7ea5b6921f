using System.Globalization;
using Sluice.Engines;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice;

/// <summary>
/// Provides the I/O engines of the process and information about them. An engine (<see cref="IoEngine"/>) performs file transfers, either
/// through io_uring or on the thread pool.
/// </summary>
/// <remarks>
/// <para>
/// The environment variable <c>SLUICE_ENGINE</c> selects the default engine: <c>uring</c> or <c>pool</c>. If it is not set, the
/// runtimeconfig.json setting <c>Sluice.Engine</c> applies. Without either, io_uring is used if the kernel and the sandbox allow it.
/// </para>
/// <para>
/// The environment variable <c>SLUICE_RINGS</c>, or the setting <c>Sluice.Rings</c>, sets the number of io_uring instances (rings), from 1
/// to 256. Without either, there is one ring at first. If several threads often submit I/O operations at the same time, more rings are
/// added, up to one for every four processors.
/// </para>
/// <para>
/// io_uring is initialized by the first operation that uses it, or when a property that depends on it is read. If the kernel later refuses
/// io_uring, the thread-pool engine is used from then on.
/// </para>
/// <para>This type is thread-safe.</para>
/// </remarks>
public static class SluiceEngines
{
    /// <summary>The maximum value of the setting. It is limited because each ring has a descriptor and a thread.</summary>
    private const int MaxRingsAskedFor = 256;

    private static readonly Lock StartLock = new();
    private static readonly long? RingsSetting = FindRings();
    private static readonly int RingsAskedFor = RingsSetting is { } asked ? (int)Math.Clamp(asked, 1, MaxRingsAskedFor) : 0;
    private static UringEngine[] s_rings = MakeRings();
    private static string? s_reason = FindReason();
    private static bool s_started;
    private static string? s_fewerReason;

    /// <summary>
    /// Gets the engine of handles for which no engine was specified: the io_uring engine or, if io_uring is not used, <see cref="Pool"/>.
    /// </summary>
    /// <remarks>Reading this property initializes io_uring if that has not been done yet.</remarks>
    public static IoEngine Default
    {
        get
        {
            Start();
            return Ring;
        }
    }

    /// <summary>
    /// Gets the engine that performs transfers with blocking system calls on thread-pool threads. It is available on all platforms.
    /// </summary>
    public static IoEngine Pool => ThreadPoolEngine.Instance;

    /// <summary>Gets a one-line explanation of why io_uring is not used, or <see langword="null"/> if it is used.</summary>
    /// <remarks>Reading this property initializes io_uring if that has not been done yet.</remarks>
    public static string? UringReason
    {
        get
        {
            Start();
            return Volatile.Read(ref s_reason);
        }
    }

    /// <summary>Returns true if the process may create rings. The first use creates one and closes it.</summary>
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

    /// <summary>
    /// Gets a one-line description of the number of io_uring instances (rings) of the process, and of why there are that many.
    /// </summary>
    /// <remarks>Reading this property initializes io_uring if that has not been done yet.</remarks>
    public static string RingsDescription
    {
        get
        {
            Start();
            int count = Volatile.Read(ref s_rings).Length;
            return Volatile.Read(ref s_reason) is { } reason ? $"no ring: {reason}"
                : count == RingsSetting ? $"{count}, as SLUICE_RINGS or Sluice.Rings says"
                : count == RingsAskedFor ? $"{count}, the {(count == 1 ? "fewest" : "most")} that there are: "
                    + $"SLUICE_RINGS or Sluice.Rings asks for {RingsSetting}"
                : Volatile.Read(ref s_fewerReason) is { } fewer ? $"{count} of at most {MaxRings}: another was refused ({fewer})"
                : MaxRings == 1 ? $"1, which is enough for {Environment.ProcessorCount} processors"
                : count >= MaxRings ? $"{count}, the most for {Environment.ProcessorCount} processors: threads that submit met often"
                : $"{count} of at most {MaxRings}: one more when threads that submit meet often";
        }
    }

    /// <summary>The number of rings that asynchronous transfers use.</summary>
    internal static long RingCount =>
        Volatile.Read(ref s_started) && Volatile.Read(ref s_reason) is null ? Volatile.Read(ref s_rings).Length : 0;

    /// <summary>The number of operations in these rings.</summary>
    internal static long InFlight => Volatile.Read(ref s_started) ? Volatile.Read(ref s_rings).Sum(static r => (long)r.Duty.InFlight) : 0;

    /// <summary>Describes an invalid setting in one line; null if all are valid.</summary>
    internal static string? SettingsNote { get; } = FindNote();

    /// <summary>
    /// Gets the engine of handles for which no engine was specified, without creating rings: the first io_uring engine, unless io_uring is
    /// known to be unavailable.
    /// </summary>
    internal static IoEngine Ring => Volatile.Read(ref s_reason) is not null ? ThreadPoolEngine.Instance : Volatile.Read(ref s_rings)[0];

    private static string? EngineSetting => Tuning.Engine;

    private static int MaxRings => RingsAskedFor > 0 ? RingsAskedFor : Math.Max(1, Environment.ProcessorCount / Tuning.ProcessorsPerRing);

    /// <summary>Returns the engine for operations that this processor submits; <paramref name="only"/> if there is one engine.</summary>
    internal static UringEngine RingOfProcessor(UringEngine only)
    {
        if (!Volatile.Read(ref s_started))
        {
            // Other rings are being created.
            return only;
        }

        UringEngine[] rings = Volatile.Read(ref s_rings);
        return rings.Length == 1
            ? only
            : rings[(int)((uint)Thread.GetCurrentProcessorId() * (uint)rings.Length / (uint)Environment.ProcessorCount) % rings.Length];
    }

    /// <summary>Creates another ring, on the thread pool, unless their number is set or has reached the maximum.</summary>
    internal static void AddRing()
    {
        if (RingsAskedFor == 0 && Volatile.Read(ref s_rings).Length < MaxRings)
        {
            ThreadPool.UnsafeQueueUserWorkItem(static _ => AddRingNow(), null);
        }
    }

    /// <summary>Creates the rings, unless this has been done or refused.</summary>
    internal static void Start()
    {
        if (Volatile.Read(ref s_started) || !AllowsRings)
        {
            return;
        }

        using (StartLock.EnterScope())
        {
            if (s_started || Volatile.Read(ref s_reason) is not null)
            {
                return;
            }

            for (int i = 0; i < s_rings.Length; i++)
            {
                if (!s_rings[i].TryStart(out string? reason))
                {
                    // The rings that were created are used. If there are none, this is a refusal.
                    if (i == 0)
                    {
                        Refuse(reason);
                        return;
                    }

                    s_rings = s_rings[..i];
                    s_fewerReason = reason;
                }
            }

            Volatile.Write(ref s_started, true);
        }
    }

    /// <summary>Makes the pool the default engine. The first reason is kept.</summary>
    internal static void Refuse(string reason)
    {
        if (Interlocked.CompareExchange(ref s_reason, reason, null) is null)
        {
            Fallbacks.Note(Fallbacks.Engine, reason, ThreadPoolEngine.Instance.Name);
        }
    }

    /// <summary>Calls <see cref="Refuse"/> with the reason for a negative errno of io_uring_enter.</summary>
    internal static void RefuseEntering(int errno)
    {
        string cause = errno is -Errno.EPERM ? "EPERM: a seccomp filter or a security module"
            : errno is -Errno.EACCES ? "EACCES: a seccomp filter or a security module"
            : errno is -Errno.EAGAIN or -Errno.ENOMEM ? $"errno {-errno}: the kernel has no memory"
            : $"errno {-errno}";
        Refuse($"io_uring_enter was refused after rings had been in use ({cause})");
    }

    private static UringEngine[] MakeRings()
    {
        UringEngine[] rings = new UringEngine[Math.Max(RingsAskedFor, 1)];
        for (int i = 0; i < rings.Length; i++)
        {
            rings[i] = new UringEngine();
        }

        return rings;
    }

    private static long? FindRings() =>
        long.TryParse(Tuning.Rings, CultureInfo.InvariantCulture, out long count) ? count : null;

    private static string? FindReason() =>
        string.Equals(EngineSetting, "pool", StringComparison.OrdinalIgnoreCase)
            ? Environment.GetEnvironmentVariable("SLUICE_ENGINE") is { Length: > 0 }
                ? "the environment variable SLUICE_ENGINE asks for the pool"
                : "the knob Sluice.Engine asks for the pool"
        : Libc.IsSupported ? null
        : "this operating system or architecture has no io_uring that Sluice knows";

    private static string? FindNote() =>
        EngineSetting is { } engine
            && !string.Equals(engine, "pool", StringComparison.OrdinalIgnoreCase)
            && !string.Equals(engine, "uring", StringComparison.OrdinalIgnoreCase)
            ? $"SLUICE_ENGINE or Sluice.Engine has the unknown value '{engine}', which is neither \"uring\" nor \"pool\": it is ignored"
        : Tuning.Rings is not { } rings ? null
        : RingsSetting is null ? $"SLUICE_RINGS or Sluice.Rings has the value '{rings}', which is no number of rings: it is ignored"
        : RingsSetting != RingsAskedFor
            ? $"SLUICE_RINGS or Sluice.Rings has the value '{rings}': there are 1 to {MaxRingsAskedFor} rings"
        : null;

    private static void AddRingNow()
    {
        using (StartLock.EnterScope())
        {
            if (!s_started || s_reason is not null || s_rings.Length >= MaxRings)
            {
                return;
            }

            UringEngine[] rings = [.. s_rings, new UringEngine()];
            if (rings[^1].TryStart(out string? reason))
            {
                Volatile.Write(ref s_rings, rings);
            }

            Volatile.Write(ref s_fewerReason, reason);
        }
    }
}
