using System.Globalization;
using LuceneDirectory = Lucene.Net.Store.Directory;
using Lucene.Net.Store;

namespace Sluice.Lucene;

/// <summary>Opens parts of one file as inputs. This object owns the file, and the inputs share it.</summary>
internal sealed class SluiceIndexInputSlicer(string path, SluiceHandle file, int bufferSize) : LuceneDirectory.IndexInputSlicer
{
    public override IndexInput OpenSlice(string sliceDescription, long offset, long length) => new SluiceIndexInput(
        string.Create(CultureInfo.InvariantCulture, $"{path}, {sliceDescription}, {offset} to {offset + length}"),
        file, offset, length, bufferSize, ownsFile: false);

    [Obsolete("Only for reading CFS files from 3.x indexes.")]
    public override IndexInput OpenFullSlice() => OpenSlice("full-slice", 0, file.Length);

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            file.Dispose();
        }
    }
}
