using Sluice.Clients.Tests.Support;

namespace Sluice.Clients.Tests.Clients;

/// <summary>Every library's work that is compared and measured.</summary>
internal static class ClientList
{
    public static IReadOnlyList<Client> All { get; } =
    [
        .. FrameworkClients.All, .. SeekingClients.All, .. PackageClients.All, .. ArchiveClients.All, .. DatabaseClients.All,
        .. LogClients.All, .. WebClients.All, .. ColumnClients.All,
    ];
}
