using FASTER.core;

namespace Sample.Device;

/// <summary>Creates the devices to which FASTER writes the metadata of commits and checkpoints, each in a file below a base folder.</summary>
internal sealed class SluiceDeviceFactory : INamedDeviceFactory
{
    private string _baseName = "";

    public void Initialize(string baseName) => _baseName = baseName;

    public IDevice Get(FileDescriptor fileInfo) => new SluiceDevice(PathOf(fileInfo));

    public IEnumerable<FileDescriptor> ListContents(string path)
    {
        DirectoryInfo folder = new(Path.Combine(_baseName, path));
        return folder.Exists
            ? folder.EnumerateFileSystemInfos()
                .OrderByDescending(static entry => entry.LastWriteTimeUtc)
                .Select(static entry => entry is DirectoryInfo ? new FileDescriptor(entry.Name, "") : new FileDescriptor("", entry.Name))
                .ToList()
            : [];
    }

    public void Delete(FileDescriptor fileInfo)
    {
        string path = PathOf(fileInfo);
        if (string.IsNullOrEmpty(fileInfo.fileName))
        {
            if (Directory.Exists(path))
            {
                Directory.Delete(path, recursive: true);
            }
        }
        else
        {
            File.Delete(path);
            File.Delete($"{path}.0");
        }
    }

    private string PathOf(FileDescriptor file) => Path.Combine(_baseName, file.directoryName, file.fileName ?? "");
}
