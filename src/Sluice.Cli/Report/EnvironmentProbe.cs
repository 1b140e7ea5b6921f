using System.Reflection;
using System.Runtime;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Sluice.Diagnostics;

namespace Sluice.Cli.Report;

/// <summary>Fills the environment record. Values that cannot be determined are null, without an exception.</summary>
internal static class EnvironmentProbe
{
    public static EnvironmentRecord ForPath(string path)
    {
        MountEntry? mount = MountOf(path);
        BlockDevice? device = DeviceOf(path, mount);
        return new EnvironmentRecord(
            OperatingSystem: RuntimeInformation.OSDescription,
            Kernel: SystemFile.FirstLine("/proc/sys/kernel/osrelease") ?? Environment.OSVersion.Version.ToString(),
            Runtime: RuntimeInformation.FrameworkDescription,
            RuntimeMode: (RuntimeFeature.IsDynamicCodeCompiled ? "JIT" : "NativeAOT")
                + (GCSettings.IsServerGC ? ", server GC" : ", workstation GC"),
            SluiceVersion: Version,
            Engine: SluiceEngines.Default.Name,
            EngineReason: SluiceEngines.UringReason,
            Processor: SystemFile.Value(SystemFile.Lines("/proc/cpuinfo"), "model name")
                ?? RuntimeInformation.ProcessArchitecture.ToString(),
            ProcessorCount: Environment.ProcessorCount,
            NominalFrequencyMhz: ProcessorFrequency.NominalHz() / 1e6,
            MemoryBytes: GC.GetGCMemoryInfo().TotalAvailableMemoryBytes,
            FileSystem: mount?.FileSystem,
            MountPoint: mount?.MountPoint,
            MountOptions: mount?.Options,
            Device: device is null ? mount?.Source : $"/dev/{device.Name}",
            DeviceModel: device?.Model,
            Scheduler: device?.Scheduler,
            Rotational: device?.Rotational,
            LogicalBlockSizeBytes: device?.LogicalBlockSizeBytes,
            FreeBytes: FreeBytesAt(ExistingFolderOf(RealPathOf(path))));
    }

    /// <summary>Returns the device of a path, or null if there is none.</summary>
    public static BlockDevice? DeviceOf(string path) => DeviceOf(path, MountOf(path));

    /// <summary>Returns the mount that contains a path; null if it is not known.</summary>
    public static MountEntry? MountOf(string path) => MountTable.Find(SystemFile.Lines("/proc/self/mountinfo"), RealPathOf(path));

    private static BlockDevice? DeviceOf(string path, MountEntry? mount)
    {
        bool isDevice = PathKinds.Of(path, out string? ownNumber) == PathKind.BlockDevice;
        return (isDevice ? ownNumber : mount?.DeviceNumber) is { } number ? BlockDevice.FromNumber(number) : null;
    }

    public static string Version =>
        typeof(EnvironmentProbe).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion.Split('+')[0]
            ?? "0";

    /// <summary>Returns the space that this user can use on the file system of the path, in bytes; null if it is unknown.</summary>
    public static long? FreeBytesAt(string directory)
    {
        try
        {
            return new DriveInfo(directory).AvailableFreeSpace;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException)
        {
            return null;
        }
    }

    /// <summary>
    /// Resolves symbolic links, including those of the parent folders, because the list of mounts has resolved paths. The file need not
    /// exist.
    /// </summary>
    public static string RealPathOf(string path)
    {
        try
        {
            return RealPath.Of(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The path cannot be resolved, so the mount of the path itself is used, which may be that of the link.
            return Path.GetFullPath(path);
        }
    }

    /// <summary>Returns the folder if it exists, otherwise the nearest parent folder that exists.</summary>
    public static string ExistingFolderOf(string fullPath)
    {
        string folder = fullPath;
        while (!Directory.Exists(folder) && Path.GetDirectoryName(folder) is { } parent)
            folder = parent;
        return folder;
    }
}
