using Sluice.Cli.Report;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Commands;

/// <summary>The state of the file to measure, and the steps that are needed before the measurement.</summary>
/// <param name="SizeBytes">The size to measure, in bytes.</param>
internal sealed record SpeedFile(SpeedOptions Options, bool Exists, long PresentSizeBytes, bool IsBlockDevice, long SizeBytes)
{
    public string Path => Options.Path;

    /// <summary>A note about the size in the result; null if there is none.</summary>
    public string? SizeNote { get; private set; }

    public bool MustCreate => Options.Create == CreateMode.None && !Exists;

    public bool MustExtend => Options.Create == CreateMode.None && Exists && !IsBlockDevice && PresentSizeBytes < SizeBytes;

    private bool SizeIsDefault => Options.SizeBytes is null;

    /// <exception cref="UsageException">The path names something that cannot be measured, or the options do not fit it.</exception>
    /// <exception cref="IOException">The directory does not exist, or the file system has too little free space.</exception>
    public static SpeedFile Inspect(SpeedOptions options)
    {
        string path = options.Path;
        if (Directory.Exists(path))
            throw new UsageException($"{path} is a directory; name a file in it");
        PathArgument.RequireParentOf(path);

        bool exists = File.Exists(path);
        switch (PathKinds.Of(path, out string? deviceNumber))
        {
            case PathKind.BlockDevice:
                return ForDevice(options, BlockDevice.FromNumber(deviceNumber!));
            case PathKind.Other:
                // Other file types are refused: terminals, /dev/zero and pipes have no end, and opening a pipe may wait forever.
                throw new UsageException($"{path} is neither a file nor a block device");
        }

        long present = exists ? new FileInfo(PathArgument.Follow(path)).Length : 0;
        // Without a size, an existing file is measured at its present length, and a new or re-created file gets the default size.
        bool asItIs = exists && options.Create == CreateMode.None;
        var file = new SpeedFile(
            options, exists, present, IsBlockDevice: false,
            options.SizeBytes ?? (asItIs ? present : SpeedOptions.DefaultFileSizeBytes));
        file.RequireRoom();
        return file;
    }

    private void RequireRoom()
    {
        long needed = SizeBytes - PresentSizeBytes;
        string parent = System.IO.Path.GetDirectoryName(System.IO.Path.GetFullPath(PathArgument.Follow(Options.Path))) ?? "/";
        if (needed > 0 && EnvironmentProbe.FreeBytesAt(parent) is { } free && needed > free)
        {
            throw new IOException(
                $"{Options.Path}: {ByteSize.Format(SizeBytes)} needed, {ByteSize.Format(free)} free on the file system");
        }
    }

    /// <summary>
    /// Asks for consent before an existing file is overwritten or re-created, unless --force is given. Writing to a block device requires
    /// --i-know-this-destroys-data instead.
    /// </summary>
    /// <exception cref="UsageException">The user did not consent, or the options do not fit the existing file or device.</exception>
    public void RequireConsent(TerminalStreams terminal)
    {
        if (IsBlockDevice)
        {
            if (Options.WriteShare > 0 && !Options.DestroysDeviceData)
                throw new UsageException($"{Options.Path} is a block device: writing to it needs --i-know-this-destroys-data");
            return;
        }
        if (!Exists)
            return;
        if (SizeIsDefault && Options.Create == CreateMode.None)
            NotePresentSize();
        if (Options.Force && SizeIsDefault && Options.Create != CreateMode.None && PresentSizeBytes < SizeBytes)
        {
            throw new UsageException($"{Options.Path} has {ByteSize.Format(PresentSizeBytes)}, and --force does not extend a file "
                + "without a size, as in -x1G");
        }
        if (Options.Force)
            return;
        if (Question() is not { } question)
            return;
        string what = $"{Options.Path} exists ({ByteSize.Format(PresentSizeBytes)})";
        terminal.RequireConsent(Options.Path, $"{what}. {question.Ask}", $"{what}: {question.Doing} needs --force");
    }

    private (string Ask, string Doing)? Question()
    {
        if (Options.Create != CreateMode.None)
        {
            string size = SizeIsDefault ? $" of {ByteSize.Format(SizeBytes)}" : "";
            return ($"Delete it and make a new one{size}?", "deleting it and making a new one");
        }
        if (Options.WriteShare == 0)
            return null;
        string larger = ByteSize.Format(SizeBytes);
        return MustExtend
            ? ($"Overwrite its contents and extend it to {larger}?", $"overwriting it and extending it to {larger}")
            : ("Overwrite its contents?", "overwriting it");
    }

    // A size on the command line is consent to extend a file. The default of 1 GiB is not, because the file may be a document.
    private void NotePresentSize()
    {
        if (PresentSizeBytes >= SpeedOptions.DefaultFileSizeBytes)
            return;
        string option = Options.WriteShare > 0 && Options.Mix is null ? "-w1G" : "-r1G";
        if (PresentSizeBytes < Options.RequestSizeBytes)
        {
            throw new UsageException($"a request of {ByteSize.Format(Options.RequestSizeBytes)} does not fit into {Options.Path}, "
                + $"{ByteSize.Format(PresentSizeBytes)}; name a size to extend it to, as in {option}");
        }
        SizeNote = $"{Options.Path} is measured as it is; {option} would extend it to "
            + ByteSize.Format(SpeedOptions.DefaultFileSizeBytes);
    }

    private static SpeedFile ForDevice(SpeedOptions options, BlockDevice? device)
    {
        if (options.Create != CreateMode.None)
            throw new UsageException($"{options.Path} is a block device; -x and -p make files");
        long present = device?.SizeBytes ?? 0;
        long size = options.SizeBytes ?? present;
        if (size > present)
            throw new UsageException($"{options.Path}: {ByteSize.Format(size)} requested, the device has {ByteSize.Format(present)}");
        if (size < options.RequestSizeBytes)
            throw new UsageException($"a request of {ByteSize.Format(options.RequestSizeBytes)} does not fit into {ByteSize.Format(size)}");
        return new SpeedFile(options, Exists: true, present, IsBlockDevice: true, size);
    }
}
