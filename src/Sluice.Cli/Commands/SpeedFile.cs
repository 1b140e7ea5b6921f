using Sluice.Cli.Report;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Commands;

/// <summary>The state of the file to measure, and the steps that are needed before the measurement.</summary>
internal sealed class SpeedFile
{
    private readonly SpeedOptions _options;

    private SpeedFile(SpeedOptions options, bool exists, long presentSizeBytes, bool isBlockDevice, long sizeBytes)
    {
        _options = options;
        Exists = exists;
        PresentSizeBytes = presentSizeBytes;
        IsBlockDevice = isBlockDevice;
        SizeBytes = sizeBytes;
    }

    public string Path => _options.Path;

    public bool Exists { get; }

    public long PresentSizeBytes { get; }

    public bool IsBlockDevice { get; }

    /// <summary>The size to measure, in bytes.</summary>
    public long SizeBytes { get; }

    /// <summary>A note about the size in the result; null if there is none.</summary>
    public string? SizeNote { get; private set; }

    public bool MustCreate => _options.Create == CreateMode.None && !Exists;

    public bool MustExtend => _options.Create == CreateMode.None && Exists && !IsBlockDevice && PresentSizeBytes < SizeBytes;

    private bool SizeIsDefault => _options.SizeBytes is null;

    /// <exception cref="UsageException">The path names something that cannot be measured, or the options do not fit it.</exception>
    /// <exception cref="IOException">The directory does not exist, or the file system has too little free space.</exception>
    public static SpeedFile Inspect(SpeedOptions options)
    {
        string path = options.Path;
        if (Directory.Exists(path))
            throw new UsageException($"{path} is a directory; name a file in it");
        FolderArgument.RequireParentOf(path);

        bool exists = File.Exists(path);
        switch (PathKinds.Of(path, out string? deviceNumber))
        {
            case PathKind.BlockDevice:
                return ForDevice(options, BlockDevice.FromNumber(deviceNumber!));
            case PathKind.Other:
                // Other file types are refused: terminals, /dev/zero and pipes have no end, and opening a pipe may wait forever.
                throw new UsageException($"{path} is neither a file nor a block device");
        }

        long present = exists ? LinkedFile.LengthOf(path) : 0;
        // Without a size, an existing file is measured at its present length, and a new or re-created file gets the default size.
        bool asItIs = exists && options.Create == CreateMode.None;
        var file = new SpeedFile(
            options, exists, present, isBlockDevice: false,
            options.SizeBytes ?? (asItIs ? present : SpeedOptions.DefaultFileSizeBytes));
        file.RequireRoom();
        return file;
    }

    private void RequireRoom()
    {
        long needed = SizeBytes - PresentSizeBytes;
        string parent = System.IO.Path.GetDirectoryName(System.IO.Path.GetFullPath(_options.Path)) ?? "/";
        if (needed > 0 && EnvironmentProbe.FreeBytesAt(parent) is { } free && needed > free)
        {
            throw new IOException(
                $"{_options.Path}: {ByteSize.Format(SizeBytes)} needed, {ByteSize.Format(free)} free on the file system");
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
            if (_options.WriteShare > 0 && !_options.DestroysDeviceData)
                throw new UsageException($"{_options.Path} is a block device: writing to it needs --i-know-this-destroys-data");
            return;
        }
        if (!Exists)
            return;
        if (SizeIsDefault && _options.Create == CreateMode.None)
            NotePresentSize();
        if (_options.Force && SizeIsDefault && _options.Create != CreateMode.None && PresentSizeBytes < SizeBytes)
        {
            throw new UsageException($"{_options.Path} has {ByteSize.Format(PresentSizeBytes)}, and --force does not extend a file "
                + "without a size, as in -x1G");
        }
        if (_options.Force)
            return;
        if (Question() is not { } question)
            return;
        string what = $"{_options.Path} exists ({ByteSize.Format(PresentSizeBytes)})";
        terminal.RequireConsent(_options.Path, $"{what}. {question.Ask}", $"{what}: {question.Doing} needs --force");
    }

    private (string Ask, string Doing)? Question()
    {
        if (_options.Create != CreateMode.None)
        {
            string size = SizeIsDefault ? $" of {ByteSize.Format(SizeBytes)}" : "";
            return ($"Delete it and make a new one{size}?", "deleting it and making a new one");
        }
        if (_options.WriteShare == 0)
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
        string option = _options.WriteShare > 0 && _options.Mix is null ? "-w1G" : "-r1G";
        if (PresentSizeBytes < _options.RequestSizeBytes)
        {
            throw new UsageException($"a request of {ByteSize.Format(_options.RequestSizeBytes)} does not fit into {_options.Path}, "
                + $"{ByteSize.Format(PresentSizeBytes)}; name a size to extend it to, as in {option}");
        }
        SizeNote = $"{_options.Path} is measured as it is; {option} would extend it to "
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
        return new SpeedFile(options, exists: true, present, isBlockDevice: true, size);
    }
}
