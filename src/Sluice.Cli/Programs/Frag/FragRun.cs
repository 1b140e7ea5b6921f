using Sluice.Cli.Bench;
using Sluice.Cli.Load;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Frag;

/// <summary>Runs a plan. Before each file, it checks whether the volume still has the space that the plan requires.</summary>
internal sealed class FragRun(FragSettings settings, OwnedFolder folder, bool canMap, CancellationToken cancellationToken)
{
    private readonly Memory<byte> _buffer = PinnedBuffer.AllocateRandom((int)ByteSize.MiB, seed: 1);
    private readonly HashSet<int> _skipped = [];
    private readonly Dictionary<int, int> _piecesOfLiving = [];
    private readonly Dictionary<int, long> _bytesOfLiving = [];
    private readonly List<FragCycle> _history = [];

    // The number of existing files, which the progress display reads.
    private volatile int _living;
    private volatile int _cycle = 1;
    private volatile float _usedPercent;
    private volatile float _piecesPerFile;

    private long _cyclePieces;
    private int _cycleFiles;

    public int Living => _living;

    public int Cycles { get; private set; }

    public int Created { get; private set; }

    public int Deleted { get; private set; }

    /// <summary>The number of files of the plan that were not created, because other processes had filled the volume.</summary>
    public int Skipped { get; private set; }

    public long WrittenBytes { get; private set; }

    public long LivingBytes => _bytesOfLiving.Values.Sum();

    /// <summary>The mean number of pieces of the files of the last complete cycle that created files; null if it is unknown.</summary>
    public double? CyclePiecesPerFile { get; private set; }

    /// <summary>The mean number of pieces of the existing files; null if it is unknown.</summary>
    public double? LivingPiecesPerFile => canMap && _piecesOfLiving.Count > 0 ? _piecesOfLiving.Values.Average() : null;

    public IReadOnlyList<FragCycle> History => _history;

    public string ProgressLine()
    {
        string pieces = canMap ? $", {_piecesPerFile:0.00} pieces per file" : "";
        return $"cycle {_cycle}: {_usedPercent:0.0} % full, {Counted.Of(_living, "file")}{pieces}";
    }

    public void Execute(IEnumerable<FragStep> steps)
    {
        foreach (FragStep step in steps)
        {
            cancellationToken.ThrowIfCancellationRequested();
            switch (step.Action)
            {
                case FragAction.Create:
                    Create(step);
                    break;
                case FragAction.Delete:
                    Delete(step);
                    break;
                default:
                    if (!EndCycle(step.Number))
                        return;
                    break;
            }
        }
    }

    private void Create(FragStep file)
    {
        if (settings.BudgetBytes(VolumeSpace.Of(folder.FullPath)) < file.SizeBytes + FragPlan.OverheadBytes)
        {
            _skipped.Add(file.Number);
            Skipped++;
            return;
        }

        if (Write(file) is { } layout)
        {
            _piecesOfLiving.Add(file.Number, layout.Pieces);
            _cyclePieces += layout.Pieces;
        }

        _bytesOfLiving.Add(file.Number, file.SizeBytes);
        WrittenBytes += file.SizeBytes;
        Created++;
        _cycleFiles++;
        _living = _bytesOfLiving.Count;
        _usedPercent = (float)VolumeSpace.Of(folder.FullPath).UsedPercent;
        _piecesPerFile = (float)_cyclePieces / _cycleFiles;
    }

    /// <summary>
    /// Writes and flushes a file, before the next one is created: a file that is deleted before it is written back does not fragment the
    /// volume.
    /// </summary>
    /// <returns>The layout of the file; null if the file system does not list extents.</returns>
    private FileLayout? Write(FragStep file)
    {
        string path = Path.Combine(folder.FullPath, file.Name);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        using SluiceHandle handle = SluiceHandle.Open(path, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.Read);
        for (long done = 0; done < file.SizeBytes;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int bytes = (int)Math.Min(_buffer.Length, file.SizeBytes - done);
            handle.Write(_buffer.Span[..bytes], done);
            done += bytes;
        }
        handle.FlushDataToDisk();
        return canMap ? FileLayout.Of(file.Name, file.SizeBytes, handle.GetExtents()) : null;
    }

    private void Delete(FragStep file)
    {
        if (_skipped.Remove(file.Number))
            return;
        File.Delete(Path.Combine(folder.FullPath, file.Name));
        _bytesOfLiving.Remove(file.Number);
        _piecesOfLiving.Remove(file.Number);
        Deleted++;
        _living = _bytesOfLiving.Count;
    }

    /// <returns>False if the cycle created no file, so that the run ends.</returns>
    private bool EndCycle(int cycle)
    {
        // The flush makes a journal commit, which releases the deleted blocks.
        folder.FlushToDisk();
        Cycles = cycle;
        _cycle = cycle + 1;
        if (canMap && _cycleFiles > 0)
            CyclePiecesPerFile = (double)_cyclePieces / _cycleFiles;
        bool hasMade = _cycleFiles > 0;
        if (hasMade)
        {
            _history.Add(new FragCycle(
                cycle, _cycleFiles, _living, Math.Round(_usedPercent, 2), Math.Round(VolumeSpace.Of(folder.FullPath).UsedPercent, 2),
                CyclePiecesPerFile));
        }
        _cyclePieces = 0;
        _cycleFiles = 0;
        return hasMade;
    }
}
