namespace Sluice;

/// <summary>Represents the decision of an <see cref="InterceptingEngine"/> about one submission.</summary>
/// <remarks>The default value is <see cref="PassOn"/>. This type is immutable and therefore thread-safe.</remarks>
public readonly struct Interception
{
    private Interception(int errno, int length, Func<Task>? hold) => (Errno, Length, Hold) = (errno, length, hold);

    /// <summary>Gets the decision that performs the submission unchanged.</summary>
    public static Interception PassOn => default;

    internal int Errno { get; }

    internal int Length { get; }

    internal Func<Task>? Hold { get; }

    /// <summary>Creates a decision that fails the submission without performing it.</summary>
    /// <param name="errno">The error number of Linux, a positive number such as 5 for EIO or 28 for ENOSPC.</param>
    /// <returns>The decision.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="errno"/> is zero or negative.</exception>
    /// <remarks>
    /// The caller of the transfer gets the exception that corresponds to this error. After EINTR (4) and EAGAIN (11), Sluice repeats the
    /// submission a limited number of times.
    /// </remarks>
    public static Interception Fail(int errno)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(errno);
        return new Interception(errno, 0, null);
    }

    /// <summary>Creates a decision that performs the transfer with fewer bytes. Sluice then submits the rest.</summary>
    /// <param name="length">
    /// The maximum number of bytes to transfer. It is rounded up to <see cref="FileAlignment.Length"/> of the file.
    /// </param>
    /// <returns>The decision.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is zero or negative.</exception>
    /// <remarks>Appends are never shortened.</remarks>
    public static Interception ShortenTo(int length)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(length);
        return new Interception(0, length, null);
    }

    /// <summary>Creates a decision that performs the submission and delays the report of its completion.</summary>
    /// <param name="completed">
    /// A function that is called when the submission has ended. The completion is reported when the task that the function returns has
    /// ended.
    /// </param>
    /// <returns>The decision.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="completed"/> is <see langword="null"/>.</exception>
    /// <remarks>
    /// <para>
    /// The function is called on a thread-pool thread or on the thread of a synchronous call. An exception of the function or of its task
    /// does not change the result of the submission.
    /// </para>
    /// <para>
    /// The task must not wait for other operations on the same file, because these may wait for the delayed submission. For example, an
    /// append to a <see cref="SluiceLog"/> waits until earlier writes of the log have ended.
    /// </para>
    /// </remarks>
    public static Interception HoldUntil(Func<Task> completed)
    {
        ArgumentNullException.ThrowIfNull(completed);
        return new Interception(0, 0, completed);
    }
}
