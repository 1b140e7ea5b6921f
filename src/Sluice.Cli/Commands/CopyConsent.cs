using Sluice.Cli.Programs.Copy;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>Whether what has the name of a copy may be replaced.</summary>
internal sealed class CopyConsent
{
    private readonly bool _mayReplace;
    private readonly Exception? _refusal;

    private CopyConsent(bool mayReplace, Exception? refusal)
    {
        _mayReplace = mayReplace;
        _refusal = refusal;
    }

    /// <summary>
    /// Asks the user of each copy, unless the command line says it: all of them before anything is copied, since a signal ends the process
    /// while a question waits for its answer. Of two copies to one place only the first can be made, and is asked about.
    /// </summary>
    public static CopyConsent[] AskAll(CopyPair[] copies, CopyCommandOptions options, TerminalStreams terminal)
    {
        var targets = new HashSet<string>(StringComparer.Ordinal);
        return Array.ConvertAll(copies, c => Ask(c.Source, c.Target, targets.Add(Path.GetFullPath(c.Target)), options, terminal));
    }

    /// <summary>Whether it may be replaced; of a tree, each file that is there is told by the copy.</summary>
    /// <exception cref="IOException">It is there, and nobody agreed.</exception>
    public bool Require() => _refusal is null ? _mayReplace : throw _refusal;

    private static CopyConsent Ask(string source, string target, bool isFirst, CopyCommandOptions options, TerminalStreams terminal)
    {
        bool mayReplace = options.Force || options.Update;
        // A target that is the source is an error of its own.
        if (mayReplace || !isFirst || !File.Exists(target) || !File.Exists(source) || Path.GetFullPath(source) == Path.GetFullPath(target))
            return new CopyConsent(mayReplace, refusal: null);
        // What no consent can help is refused by the copy, with its reason.
        if (!CopyPlan.IsReplaceable(source, isLink: options.Recursive && new FileInfo(source).LinkTarget is not null, target))
            return new CopyConsent(mayReplace, refusal: null);
        try
        {
            string what = $"{target} exists ({ByteSize.Format(new FileInfo(target).Length)})";
            if (!terminal.IsInputTerminal)
                throw new IOException($"{what}: replacing it needs --force");
            return terminal.Confirm($"{what}. Replace it?")
                ? new CopyConsent(mayReplace: true, refusal: null)
                : throw new IOException($"{target} left as it was");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // Told when its turn has come: the other copies do not depend on it.
            return new CopyConsent(mayReplace: false, e);
        }
    }
}
