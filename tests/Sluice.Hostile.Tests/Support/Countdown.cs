namespace Sluice.Hostile.Tests.Support;

/// <summary>Throws at the n-th call of the caller's code, and once only.</summary>
internal sealed class Countdown(int at, ThrownKind kind)
{
    private int _calls;
    private Exception? _thrown;

    /// <summary>What was thrown; null when so many calls never came.</summary>
    public Exception? Thrown => Volatile.Read(ref _thrown);

    public bool HasThrown => Thrown is not null;

    /// <summary>Something of the caller is being called.</summary>
    public void Hit()
    {
        if (Interlocked.Increment(ref _calls) == at)
        {
            Exception exception = kind switch
            {
                ThrownKind.Ordinary => new InvalidTimeZoneException($"call {at}"),
                ThrownKind.FromIo => new IOException($"call {at}"),
                _ => new OperationCanceledException($"call {at}", new CancellationToken(canceled: true)),
            };
            Volatile.Write(ref _thrown, exception);
            throw exception;
        }
    }

    /// <summary>The same, within an expression.</summary>
    public T Hit<T>(T value)
    {
        Hit();
        return value;
    }

    /// <summary>
    /// Whether an exception is the one that was thrown, itself, within a task's aggregate, or as the cause that another one names.
    /// </summary>
    public bool IsThrown(Exception? exception)
    {
        for (; exception is not null; exception = exception.InnerException)
        {
            if (ReferenceEquals(exception, Thrown) || (exception is AggregateException all && all.InnerExceptions.Any(IsThrown)))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Fails for any other exception.</summary>
    public void ShouldBeThrown(Exception exception)
    {
        if (!IsThrown(exception))
        {
            Assert.Fail($"An exception that nobody threw, where {Thrown?.ToString() ?? "nothing"} was: {exception}");
        }
    }

    /// <summary>Does something that may fail with what was thrown, and with nothing else; false when it did.</summary>
    public async Task<bool> TryAsync(Func<Task> action)
    {
        try
        {
            await action();
            return true;
        }
        catch (Exception e) when (IsThrown(e))
        {
            return false;
        }
    }

    /// <summary>As <see cref="TryAsync"/>.</summary>
    public bool Try(Action action)
    {
        try
        {
            action();
            return true;
        }
        catch (Exception e) when (IsThrown(e))
        {
            return false;
        }
    }
}
