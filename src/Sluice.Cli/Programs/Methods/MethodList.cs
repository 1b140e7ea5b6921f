using Sluice.Cli.Load;

namespace Sluice.Cli.Programs.Methods;

/// <summary>
/// All methods, those of the article "Efficient File I/O From C#" and newer ones: first those that read, then those that write.
/// </summary>
internal static class MethodList
{
    public static IReadOnlyList<Method> All { get; } = [.. ReadMethods.All, .. WriteMethods.All];

    public static IEnumerable<Method> Reading(
        IoSide side, ResultKind kind, params IEnumerable<(string Name, Func<MethodInput, object?> Run)> methods) =>
        methods.Select(m => new Method(m.Name, side, kind, m.Run));

    public static IEnumerable<Method> Writing(
        IoSide side, ResultKind kind, params IEnumerable<(string Name, Action<MethodInput> Run)> methods) =>
        methods.Select(m => new Method(m.Name, side, kind, input =>
        {
            m.Run(input);
            return null;
        })
        {
            Writes = true,
        });

    /// <summary>Creates a method whose file is opened before the measured time and closed after it.</summary>
    public static Method WithoutOpen<T>(
        string name, IoSide side, ResultKind kind, Func<MethodInput, T> open, Func<MethodInput, T, object?> run, bool writes = false)
        where T : class, IDisposable => new(name, side, kind, input => run(input, (T)input.Opened!)) { Writes = writes, Open = open };

    public static object? Using<T>(T file, Func<T, object?> use)
        where T : IDisposable
    {
        using (file)
            return use(file);
    }

    /// <summary>Converts errors of WinFileIO to I/O errors, since the rest of the tool does not handle ApplicationException.</summary>
    public static object? Checked(Func<int> transfer)
    {
        try
        {
            return transfer();
        }
        catch (ApplicationException e)
        {
            throw new IOException(e.Message, e);
        }
    }
}
