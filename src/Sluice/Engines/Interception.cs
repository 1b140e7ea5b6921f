namespace Sluice;

/// <summary>What an <see cref="InterceptingEngine"/> does with one submission.</summary>
public readonly struct Interception
{
    private Interception(int errno, int length, Func<Task>? hold) => (Errno, Length, Hold) = (errno, length, hold);

    /// <summary>The submission goes on as it is.</summary>
    public static Interception PassOn => default;

    internal int Errno { get; }

    internal int Length { get; }

    internal Func<Task>? Hold { get; }

    /// <summary>The submission fails, without reaching a file: the caller sees it as the operating system's error.</summary>
    /// <param name="errno">A positive errno of Linux: 5 is EIO, 28 is ENOSPC. After EINTR (4) and EAGAIN (11) the submission is made
    /// again.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="errno"/> is not positive.</exception>
    public static Interception Fail(int errno)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(errno);
        return new Interception(errno, 0, null);
    }

    /// <summary>
    /// A transfer moves fewer bytes than it was to, and Sluice goes on with the rest. Rounded up to the file's alignment; appends are
    /// never cut.
    /// </summary>
    /// <param name="length">The most that it may transfer, in bytes.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is not positive.</exception>
    public static Interception ShortenTo(int length)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(length);
        return new Interception(0, length, null);
    }

    /// <summary>The transfer is made, and its completion held back.</summary>
    /// <param name="completed">
    /// Called when the transfer has ended, on a pool thread or that of a synchronous call; the completion goes on when its task ends.
    /// Others may wait for that thread, as those who append to the same <see cref="SluiceLog"/>: the task is not to depend on them.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="completed"/> is null.</exception>
    public static Interception HoldUntil(Func<Task> completed)
    {
        ArgumentNullException.ThrowIfNull(completed);
        return new Interception(0, 0, completed);
    }
}
