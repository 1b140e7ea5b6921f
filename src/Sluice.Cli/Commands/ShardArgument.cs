using System.Globalization;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>Parses the value of --shard: 1/4, auto or auto/4.</summary>
internal static class ShardArgument
{
    /// <summary>Returns the shard; null if the option was not given.</summary>
    /// <exception cref="UsageException">The text is not a shard, or the environment variables do not specify one.</exception>
    public static Shard? Parse(string? text)
    {
        if (text is null)
            return null;
        string[] parts = text.Split('/');
        bool isAuto = parts[0] == "auto";
        int? count = parts.Length == 2 && int.TryParse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out int n) ? n : null;
        if (isAuto && (parts.Length == 1 || count > 0))
        {
            try
            {
                return Shard.FromEnvironment(count);
            }
            catch (InvalidOperationException e)
            {
                throw new UsageException($"--shard {text}: {e.Message}");
            }
        }
        return count is { } all && int.TryParse(parts[0], NumberStyles.None, CultureInfo.InvariantCulture, out int index) && index < all
            ? new Shard(index, all)
            : throw new UsageException($"--shard is a part and their number, as 0/4 to 3/4, or auto, or auto/4; not '{text}'");
    }
}
