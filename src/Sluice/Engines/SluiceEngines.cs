using System.Diagnostics.CodeAnalysis;
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
    /// <summary>The end of what may be asked for, each with a descriptor and a thread. Not tuned.</summary>
    private const int MaxRingsAskedFor = 256;

    private static readonly Lock StartLock = new();
    private static readonly AnotherRing Another = new();
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

    /// <summary>Rings that serve asynchronous transfers now.</summary>
    internal static long RingCount =>
        Volatile.Read(ref s_started) && Volatile.Read(ref s_reason) is null ? Volatile.Read(ref s_rings).Length : 0;

    /// <summary>What these have in flight, or in their queues.</summary>
    internal static long InFlight => Volatile.Read(ref s_started) ? Volatile.Read(ref s_rings).Sum(static r => (long)r.Duty.InFlight) : 0;

    /// <summary>What is wrong with the settings, in one line; null when nothing is.</summary>
    internal static string? SettingsNote { get; } = FindNote();

    /// <summary>As <see cref="Default"/>, but one whose rings may not have been made yet.</summary>
    internal static IoEngine Ring => Volatile.Read(ref s_reason) is not null ? ThreadPoolEngine.Instance : Volatile.Read(ref s_rings)[0];

    private static string? EngineSetting => Tuning.Engine;

    /// <summary>
    /// Makes the rings, if there may be any. The pool where there is no memory to find that out: the next operation asks again.
    /// </summary>
    internal static IoEngine StartOrPool()
    {
        try
        {
            Start();
            return Ring;
        }
        catch (OutOfMemoryException)
        {
            return Pool;
        }
    }

    private static int MaxRings => RingsAskedFor > 0 ? RingsAskedFor : Math.Max(1, Environment.ProcessorCount / Tuning.ProcessorsPerRing);

    /// <summary>The ring for what this processor submits; <paramref name="only"/> where there is one.</summary>
    internal static UringEngine RingOfProcessor(UringEngine only)
    {
        if (!Volatile.Read(ref s_started))
        {
            // Others are just being made.
            return only;
        }

        UringEngine[] rings = Volatile.Read(ref s_rings);
        return rings.Length == 1
            ? only
            : rings[(int)((uint)Thread.GetCurrentProcessorId() * (uint)rings.Length / (uint)Environment.ProcessorCount) % rings.Length];
    }

    /// <summary>Makes one ring more, unless there are enough; threads that submit have met often.</summary>
    internal static void Grow()
    {
        if (RingsAskedFor > 0 || Volatile.Read(ref s_rings).Length >= MaxRings)
        {
            return;
        }

        // Not on the thread that submits, and once: this one's descriptor and thread take a while.
        PoolWork.Queue(Another);
    }

    /// <summary>Makes the rings, unless that has been done or refused.</summary>
    internal static void Start()
    {
        // Found out without the lock: an exception of .NET's is one way to the answer, and handlers of exceptions hear of it.
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
                if (!TryStart(s_rings[i], isFirst: i == 0, out string? reason))
                {
                    // Rings made so far serve; none at all is a refusal.
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

    /// <summary>From here on the pool serves. The first reason stays.</summary>
    internal static void Refuse(string reason)
    {
        if (Interlocked.CompareExchange(ref s_reason, reason, null) is null)
        {
            Fallbacks.Note(Fallbacks.Engine, reason, ThreadPoolEngine.Instance.Name);
        }
    }

    /// <summary>
    /// As <see cref="Refuse"/>, for the negative errno with which the kernel will not be entered any more.
    /// </summary>
    internal static void RefuseEntering(int errno)
    {
        if (Volatile.Read(ref s_reason) is null)
        {
            Refuse(RingStart.ExplainEnd(errno));
        }
    }

    /// <summary>As the ring's own; where others serve, a want of memory is a refusal.</summary>
    private static bool TryStart(UringEngine ring, bool isFirst, [NotNullWhen(false)] out string? reason)
    {
        try
        {
            return ring.TryStart(out reason);
        }
        catch (OutOfMemoryException) when (!isFirst)
        {
            reason = "there was no memory";
            return false;
        }
    }

    private static UringEngine[] MakeRings()
    {
        UringEngine[] rings = new UringEngine[Math.Max(RingsAskedFor, 1)];
        for (int i = 0; i < rings.Length; i++)
        {
            rings[i] = new UringEngine();
        }

        LibraryUnload.Register(Unload);
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

    /// <summary>A thread that waits for completions, and rings that are kept, would hold the load context for ever.</summary>
    private static void Unload()
    {
        _ = Interlocked.CompareExchange(ref s_reason, "the load context of the library is being unloaded", null);

        // Whoever is making rings at this moment has not seen that: what it makes is stopped too.
        using (StartLock.EnterScope())
        {
            foreach (UringEngine ring in s_rings)
            {
                ring.Stop();
            }
        }

        RingPools.Close();
    }

    /// <summary>Makes one ring more, on a thread of the pool.</summary>
    private sealed class AnotherRing : IThreadPoolWorkItem
    {
        public void Execute()
        {
            using (StartLock.EnterScope())
            {
                if (!s_started || s_reason is not null || s_rings.Length >= MaxRings)
                {
                    return;
                }

                try
                {
                    UringEngine[] rings = [.. s_rings, new UringEngine()];
                    if (TryStart(rings[^1], isFirst: false, out string? reason))
                    {
                        Volatile.Write(ref s_rings, rings);
                    }

                    Volatile.Write(ref s_fewerReason, reason);
                }
                catch (OutOfMemoryException)
                {
                    // Threads that submit meet again.
                }
            }
        }
    }
}
