namespace Sluice.Cli.Programs.Methods;

/// <summary>All methods, in the order of the article's tables; what came since follows.</summary>
internal static class MethodList
{
    public static IReadOnlyList<Method> All { get; } =
    [
        .. FileReadMethods.All, .. StreamReaderMethods.All, .. FileStreamReadMethods.All, .. BeginReadMethods.All, .. NewerReadMethods.All,
        .. FileWriteMethods.All, .. FileStreamWriteMethods.All, .. NewerWriteMethods.All,
        .. WinFileIOMethods.All, .. SluiceReadMethods.All, .. SluiceWriteMethods.All, .. OpenFileMethods.All,
    ];
}
