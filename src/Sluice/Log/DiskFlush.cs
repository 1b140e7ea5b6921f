using Sluice.Errors;
using Sluice.Kernel;

namespace Sluice.Log;

/// <summary>
/// Flushing a file whose records are to be acknowledged: every error counts. A handle's own flush is .NET's, which passes over EROFS; a
/// file system that was made read-only by an error answers with it, and what was written before is lost.
/// </summary>
internal static class DiskFlush
{
    /// <exception cref="IOException">The data may not be on the disk.</exception>
    public static void Flush(SluiceHandle file, bool dataOnly, LogSettings settings)
    {
        // Through an engine that stands before another one, for tests; else straight to the system call.
        if (settings.Engine is InterceptingEngine || !Libc.IsSupported)
        {
            if (dataOnly)
            {
                file.FlushDataToDisk();
            }
            else
            {
                file.FlushToDisk();
            }

            return;
        }

        using OpenFile.Reference reference = file.Hold();
        int result = Libc.Flush(file.Descriptor, dataOnly);
        if (result < 0)
        {
            IoErrors.Throw(-result, dataOnly ? IoVerb.FlushData : IoVerb.Flush, file.Path, -1);
        }
    }
}
