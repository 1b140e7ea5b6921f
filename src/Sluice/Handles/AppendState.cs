namespace Sluice.Handles;

/// <summary>Where an <see cref="AppendRequest"/> stands.</summary>
internal enum AppendState
{
    /// <summary>Its thread is awake, and looks.</summary>
    Waiting,

    /// <summary>Its thread sleeps, or is about to.</summary>
    Parked,

    /// <summary>Its thread was woken, to look whether somebody leads.</summary>
    Retry,

    /// <summary>Its thread was told to lead.</summary>
    Leads,

    /// <summary>The result is there.</summary>
    Done,
}
