namespace Sluice.Clients.Tests.Support;

/// <summary>Work that a library does with streams, as its users have it do.</summary>
/// <param name="Name">The library, and what it does.</param>
/// <param name="Work">The work; every stream comes from the workplace, and what it finds out is told to it.</param>
internal sealed record Client(string Name, Func<Workplace, Task> Work)
{
    public Client(string name, Action<Workplace> work)
        : this(name, place =>
        {
            work(place);
            return Task.CompletedTask;
        })
    {
    }

    public override string ToString() => Name;
}
