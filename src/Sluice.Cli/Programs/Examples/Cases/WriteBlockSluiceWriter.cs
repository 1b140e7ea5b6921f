namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Writes a file in blocks with SluiceWriter, into its own memory: nothing is copied before the system has it.
/// GetSpan and Advance are those of IBufferWriter, so serializers can write into it too.
/// </summary>
internal static class WriteBlockSluiceWriter
{
    public static void Run(string path, RecordSource records)
    {
        using var writer = new SluiceWriter(path);
        int bytes;
        while ((bytes = records.Fill(writer.GetSpan(65536))) > 0)
            writer.Advance(bytes);
    }
}
