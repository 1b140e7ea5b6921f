using System.Text.Json;

namespace Sluice.Cli.Programs.Examples;

/// <summary>A way of reading or writing: a method whose source code is compiled, run, and shown unchanged.</summary>
/// <param name="MethodName">The name of the method of ReadCases or WriteCases.</param>
/// <param name="Way">The name of the case among those of its unit, which begins with .NET or Sluice.</param>
/// <param name="RunAsync">Reads the file at the path into the checksum, or creates it from the records.</param>
internal sealed record ExampleCase(
    string MethodName, ExampleUnit Unit, string Way, bool Writes, Func<string, RecordSource, Checksum, Task> RunAsync)
{
    /// <summary>The name of the case on the command line, such as read-byte-file-stream.</summary>
    public string Name { get; } = JsonNamingPolicy.KebabCaseLower.ConvertName(MethodName);

    /// <summary>The first sentence of the description of the method.</summary>
    public string Summary
    {
        get
        {
            string line = Code().Split('\n')
                .First(l => l.StartsWith("/// ", StringComparison.Ordinal) && !l.Contains('<', StringComparison.Ordinal));
            return line["/// ".Length..];
        }
    }

    /// <summary>Returns the source code of the method with its description.</summary>
    public string Code()
    {
        string file = $"examples/{(Writes ? "Write" : "Read")}Cases.cs";
        using Stream resource = typeof(ExampleCase).Assembly.GetManifestResourceStream(file)
            ?? throw new InvalidOperationException($"{file} is not in the tool");
        using var reader = new StreamReader(resource);
        string text = reader.ReadToEnd().ReplaceLineEndings("\n");
        int name = text.IndexOf($" {MethodName}(", StringComparison.Ordinal);
        int begin = text.LastIndexOf("/// <summary>", name, StringComparison.Ordinal);
        int end = text.IndexOf("\n    }\n", name, StringComparison.Ordinal);
        return text[begin..end].Replace("\n    ", "\n", StringComparison.Ordinal) + "\n}\n";
    }
}

/// <summary>The unit in which a program reads or writes.</summary>
internal enum ExampleUnit { Byte, Line, Block }
