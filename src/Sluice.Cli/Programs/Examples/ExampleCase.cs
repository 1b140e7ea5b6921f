using System.Text;

namespace Sluice.Cli.Programs.Examples;

/// <summary>One way of reading or writing: a file of code under Cases, which is compiled, run, and shown as it stands.</summary>
/// <param name="ClassName">Also the name of the file.</param>
/// <param name="Way">What it stands for among the cases of its unit; begins with .NET or Sluice.</param>
internal sealed record ExampleCase(string ClassName, ExampleUnit Unit, string Way)
{
    /// <summary>Reads the file of that path; null in a case that writes.</summary>
    public Func<string, Checksum, Task>? Read { get; init; }

    /// <summary>Makes the file of that path; null in a case that reads.</summary>
    public Func<string, RecordSource, Task>? Write { get; init; }

    public bool Writes => Write is not null;

    /// <summary>The class in the command line's style: read-byte-file-stream.</summary>
    public string Name { get; } = Kebab(ClassName);

    /// <summary>The first sentence of the case's own description.</summary>
    public string Summary
    {
        get
        {
            string line = Code().Split('\n')
                .First(l => l.StartsWith("/// ", StringComparison.Ordinal) && !l.Contains('<', StringComparison.Ordinal));
            return line["/// ".Length..];
        }
    }

    public string Code()
    {
        using Stream resource = typeof(ExampleCase).Assembly.GetManifestResourceStream($"examples/{ClassName}.cs")
            ?? throw new InvalidOperationException($"the code of {ClassName} is not in the tool");
        using var reader = new StreamReader(resource);
        return reader.ReadToEnd().ReplaceLineEndings("\n");
    }

    public bool IsCalled(string name) =>
        name.Equals(Name, StringComparison.OrdinalIgnoreCase) || name.Equals(ClassName, StringComparison.OrdinalIgnoreCase);

    private static string Kebab(string pascal)
    {
        var kebab = new StringBuilder();
        foreach (char letter in pascal)
        {
            if (char.IsAsciiLetterUpper(letter) && kebab.Length > 0)
                kebab.Append('-');
            kebab.Append(char.ToLowerInvariant(letter));
        }
        return kebab.ToString();
    }
}

/// <summary>What a program takes or gives at a time.</summary>
internal enum ExampleUnit { Byte, Line, Block }
