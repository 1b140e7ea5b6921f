namespace Sluice.Cli.Programs.Frag;

/// <summary>One cycle of filling and deleting.</summary>
/// <param name="FilledPercent">How full the volume was before files were deleted.</param>
/// <param name="KeptPercent">And after.</param>
/// <param name="PiecesPerFile">Of the files made in this cycle; null where the file system does not tell.</param>
internal sealed record FragCycle(int Cycle, int FilesMade, int FilesLeft, double FilledPercent, double KeptPercent, double? PiecesPerFile);
