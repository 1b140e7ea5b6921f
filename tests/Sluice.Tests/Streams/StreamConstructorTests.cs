using System.Reflection;
using Microsoft.Win32.SafeHandles;

namespace Sluice.Tests.Streams;

/// <summary>Every constructor with right and wrong arguments: the same stream, or the same exception for the same parameter, as
/// FileStream.</summary>
public sealed class StreamConstructorTests : IDisposable
{
    private static readonly string[] Paths =
        ["null", "empty", "blank", "zero inside", "file", "missing", "folder", "missing folder", "slash behind"];
    private static readonly FileMode[] Modes = [.. Enumerable.Range(0, 8).Select(m => (FileMode)m)];
    private static readonly FileAccess[] Accesses = [.. Enumerable.Range(0, 5).Select(a => (FileAccess)a)];
    private static readonly FileShare[] Shares =
        [FileShare.None, FileShare.Read, FileShare.Write, FileShare.ReadWrite, FileShare.Delete, FileShare.Inheritable, (FileShare)8,
            (FileShare)31, (FileShare)32, (FileShare)(-1)];

    private static readonly int[] BufferSizes = [-1, 0, 1, 4096];
    private static readonly FileOptions[] Options =
    [
        FileOptions.None, FileOptions.Asynchronous, FileOptions.WriteThrough, FileOptions.SequentialScan, FileOptions.RandomAccess,
        FileOptions.DeleteOnClose, FileOptions.Encrypted, FileOptions.Asynchronous | FileOptions.SequentialScan, (FileOptions)1,
            (FileOptions)0x2000_0000,
    ];

    private readonly TempFolder _temp = new();
    private string _theirs = "";
    private string _own = "";

    public void Dispose() => _temp.Dispose();

    [Fact]
    public void Every_path_mode_and_access_gives_what_FileStream_gives()
    {
        foreach (string kind in Paths)
        {
            foreach (FileMode mode in Modes)
            {
                Compare(kind, $"{mode}", p => new FileStream(p, mode), p => new SluiceStream(p, mode));
                foreach (FileAccess access in Accesses)
                {
                    Compare(kind, $"{mode} {access}", p => new FileStream(p, mode, access), p => new SluiceStream(p, mode, access));
                }
            }
        }
    }

    [Fact]
    public void Every_mode_access_and_share_gives_what_FileStream_gives()
    {
        foreach (string kind in (string[])["file", "missing", "empty"])
        {
            foreach (FileMode mode in Modes)
            {
                foreach (FileAccess access in Accesses)
                {
                    foreach (FileShare share in Shares)
                    {
                        Compare(kind, $"{mode} {access} {share}", p => new FileStream(p, mode, access, share), p =>
                            new SluiceStream(p, mode, access, share));
                    }
                }
            }
        }
    }

    [Fact]
    public void Every_buffer_size_and_option_gives_what_FileStream_gives()
    {
        foreach ((string kind, FileMode mode, FileAccess access,
            FileShare share) in (IEnumerable<(string, FileMode, FileAccess, FileShare)>)
        [
            ("file", FileMode.Open, FileAccess.ReadWrite, FileShare.Read), ("file", FileMode.Append, FileAccess.Write, FileShare.None),
            ("file", FileMode.Truncate, FileAccess.Write, FileShare.Read),
                ("missing", FileMode.Create, FileAccess.ReadWrite, FileShare.Read),
            ("missing", FileMode.Open, FileAccess.Read, FileShare.Read), ("file", (FileMode)9, FileAccess.Read, FileShare.Read),
            ("null", FileMode.Open, FileAccess.Read, FileShare.Read), ("empty", FileMode.Open, FileAccess.Read, FileShare.Read),
            ("file", FileMode.Open, (FileAccess)9, FileShare.Read), ("file", FileMode.Open, FileAccess.Read, (FileShare)99),
            ("file", FileMode.Append, FileAccess.Read, FileShare.Read), ("file", FileMode.Truncate, FileAccess.Read, FileShare.Read),
        ])
        {
            foreach (int bufferSize in BufferSizes)
            {
                string what = $"{mode} {access} {share} {bufferSize}";
                Compare(kind, what, p => new FileStream(p, mode, access, share, bufferSize), p =>
                    new SluiceStream(p, mode, access, share, bufferSize));
                foreach (bool useAsync in (bool[])[false, true])
                {
                    Compare(kind, $"{what} async: {useAsync}",
                        p => new FileStream(p, mode, access, share, bufferSize, useAsync),
                        p => new SluiceStream(p, mode, access, share, bufferSize, useAsync));
                }

                foreach (FileOptions options in Options)
                {
                    Compare(kind, $"{what} {options}",
                        p => new FileStream(p, mode, access, share, bufferSize, options),
                        p => new SluiceStream(p, mode, access, share, bufferSize, options));
                }
            }
        }
    }

    [Fact]
    public void FileStreamOptions_give_what_they_give_FileStream()
    {
        foreach (string kind in (string[])["null", "empty", "file", "missing", "folder"])
        {
            Compare(kind, "no options", p => new FileStream(p, null!), p => new SluiceStream(p, (FileStreamOptions)null!));
            foreach (FileMode mode in Modes.Where(m => Enum.IsDefined(m)))
            {
                foreach (FileAccess access in Accesses.Where(a => Enum.IsDefined(a)))
                {
                    foreach (long preallocation in (long[])[0, 1, 10_000, 1L << 55])
                    {
                        foreach (UnixFileMode? unixMode in (UnixFileMode?[])[null, UnixFileMode.UserRead | UnixFileMode.UserWrite])
                        {
                            FileStreamOptions options =
                                new() { Mode = mode, Access = access, PreallocationSize = preallocation, BufferSize = 0 };
                            if (unixMode is not null && !OperatingSystem.IsWindows())
                            {
                                options.UnixCreateMode = unixMode;
                            }

                            Compare(kind, $"{mode} {access} {preallocation} {unixMode}", p => new FileStream(p, options), p =>
                                new SluiceStream(p, options));
                        }
                    }
                }
            }
        }
    }

    [Fact]
    public void Every_handle_access_and_buffer_size_gives_what_FileStream_gives()
    {
        foreach (string kind in (string[])["null", "invalid", "closed", "read", "write", "both", "asynchronous", "moved", "pipe"])
        {
            foreach (FileAccess access in Accesses)
            {
                CompareHandles(kind, $"{access}", h => new FileStream(h, access), h => new SluiceStream(h, access));
                foreach (int bufferSize in BufferSizes)
                {
                    CompareHandles(kind, $"{access} {bufferSize}", h => new FileStream(h, access, bufferSize), h =>
                        new SluiceStream(h, access, bufferSize));
                    foreach (bool isAsync in (bool[])[false, true])
                    {
                        CompareHandles(kind, $"{access} {bufferSize} async: {isAsync}",
                            h => new FileStream(h, access, bufferSize, isAsync),
                            h => new SluiceStream(h, access, bufferSize, isAsync));
                    }
                }
            }
        }
    }

#pragma warning disable CS0618 // Obsolete, and there for those who change the name of the type only.
    [Fact]
    public void Every_descriptor_gives_what_it_gives_FileStream()
    {
        foreach (string kind in (string[])["invalid", "read", "write", "both", "asynchronous", "moved", "pipe"])
        {
            foreach (FileAccess access in Accesses)
            {
                CompareHandles(kind, $"{access}",
                    h => new FileStream(h.DangerousGetHandle(), access, ownsHandle: false),
                    h => new SluiceStream(h.DangerousGetHandle(), access, ownsHandle: false));
                foreach (int bufferSize in BufferSizes)
                {
                    CompareHandles(kind, $"{access} {bufferSize}",
                        h => new FileStream(h.DangerousGetHandle(), access, false, bufferSize),
                        h => new SluiceStream(h.DangerousGetHandle(), access, false, bufferSize));
                    foreach (bool isAsync in (bool[])[false, true])
                    {
                        CompareHandles(kind, $"{access} {bufferSize} async: {isAsync}",
                            h => new FileStream(h.DangerousGetHandle(), access, false, bufferSize, isAsync),
                            h => new SluiceStream(h.DangerousGetHandle(), access, false, bufferSize, isAsync));
                    }
                }
            }
        }
    }

    [Fact]
    public void A_descriptor_is_closed_by_the_stream_that_owns_it_and_only_by_that()
    {
        using SafeFileHandle file = File.OpenHandle(_temp.NewFile(10));
        new SluiceStream(file.DangerousGetHandle(), FileAccess.Read, ownsHandle: false).Dispose();
        RandomAccess.GetLength(file).ShouldBe(10);
        Should.Throw<ArgumentOutOfRangeException>(() => new SluiceStream(file.DangerousGetHandle(), FileAccess.Read, ownsHandle: true, -1));
        RandomAccess.GetLength(file).ShouldBe(10);

        SafeFileHandle given = File.OpenHandle(_temp.NewFile(10));
        nint descriptor = given.DangerousGetHandle();
        given.SetHandleAsInvalid();
        var stream = new SluiceStream(descriptor, FileAccess.Read);
        SafeFileHandle taken = stream.SafeFileHandle;
        stream.Dispose();
        taken.IsClosed.ShouldBeTrue();
    }
#pragma warning restore CS0618

    [SkippableFact]
    public void Every_public_member_of_FileStream_is_there()
    {
        // The obsolete property Handle is left out: SafeFileHandle serves.
        List<string> missing = [];
        foreach (ConstructorInfo theirs in typeof(FileStream).GetConstructors())
        {
            ParameterInfo[] parameters = theirs.GetParameters();
            ConstructorInfo? own = typeof(SluiceStream).GetConstructor([.. parameters.Select(p => p.ParameterType)]);
            if (own is null
                || !own.GetParameters().Select(p =>
                    (p.Name, p.DefaultValue)).SequenceEqual(parameters.Select(p => (p.Name, p.DefaultValue))))
            {
                missing.Add(theirs.ToString()!);
            }
        }

        const BindingFlags declared = BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly;
        foreach (MethodInfo theirs in typeof(FileStream).GetMethods(declared).Where(m => m.Name != "get_Handle"))
        {
            MethodInfo? own = typeof(SluiceStream).GetMethod(theirs.Name, [.. theirs.GetParameters().Select(p => p.ParameterType)]);
            if (own is null || own.ReturnType != theirs.ReturnType
                || !own.GetParameters().Select(p => p.Name).SequenceEqual(theirs.GetParameters().Select(p => p.Name)))
            {
                missing.Add(theirs.ToString()!);
            }
        }

        missing.ShouldBeEmpty();
    }

    private void Compare(string kind, string what, Func<string, Stream> theirs, Func<string, Stream> own)
    {
        _theirs = Make(kind);
        _own = Make(kind);
        string expected = Describe(() => theirs(_theirs), _theirs);
        if (kind == "blank")
        {
            // One name for both.
            Delete(_theirs);
        }

        Describe(() => own(_own), _own).ShouldBe(expected, $"{kind}: {what}");
        Delete(_theirs);
        Delete(_own);
    }

    private void CompareHandles(string kind, string what, Func<SafeFileHandle, Stream> theirs, Func<SafeFileHandle, Stream> own)
    {
        _theirs = _temp.NewFile(100);
        _own = _temp.NewFile(100);
        string expected = DescribeHandle(kind, theirs, _theirs);
        DescribeHandle(kind, own, _own).ShouldBe(expected, $"{kind}: {what}");
        Delete(_theirs);
        Delete(_own);
    }

    private static string DescribeHandle(string kind, Func<SafeFileHandle, Stream> open, string path)
    {
        SafeFileHandle? other = null;
        SafeFileHandle? handle;
        switch (kind)
        {
            case "null":
                handle = null;
                break;
            case "invalid":
                handle = new SafeFileHandle(-1, ownsHandle: false);
                break;
            case "pipe":
                (handle, other) = Native.Pipe();
                break;
            default:
                FileAccess access = kind switch { "read" => FileAccess.Read, "write" => FileAccess.Write, _ => FileAccess.ReadWrite };
                handle = File.OpenHandle(path, FileMode.Open, access, FileShare.ReadWrite, kind == "asynchronous"
                    ? FileOptions.Asynchronous : FileOptions.None);
                break;
        }

        if (kind == "closed")
        {
            handle!.Dispose();
        }

        if (kind == "moved")
        {
            // FileStream leaves the operating system's position where its own is when the handle is asked for.
            FileStream mover = new(handle!, FileAccess.ReadWrite, 0);
            mover.Position = 37;
            mover.SafeFileHandle.ShouldBeSameAs(handle);
            GC.SuppressFinalize(mover);
        }

        string description = Describe(() => open(handle!), path: null);
        description += $" closed: {handle?.IsClosed}";
        handle?.Dispose();
        other?.Dispose();
        return description;
    }

    private static string Describe(Func<Stream> open, string? path)
    {
        string description;
        try
        {
            using Stream stream = open();
            StreamSubject subject = stream is FileStream theirs ? new FileStreamSubject(theirs)
                : new SluiceStreamSubject((SluiceStream)stream);
            string name = path is null ? (subject.Name.StartsWith('[') ? subject.Name : "a name")
                : $"named: {subject.Name == Path.GetFullPath(path)}";
            string seeking = stream.CanSeek ? $"length {stream.Length} position {stream.Position}" : "cannot seek";
            description = $"reads: {stream.CanRead} writes: {stream.CanWrite} {seeking} async: {subject.IsAsync} {name}";
        }
        catch (Exception e)
        {
            description = $"{e.GetType().Name} {(e as ArgumentException)?.ParamName}";
        }

        return path is { Length: > 0 } && File.Exists(path) ? $"{description}, leaves {new FileInfo(path).Length} bytes" : description;
    }

    private string Make(string kind)
    {
        switch (kind)
        {
            case "null":
                return null!;
            case "empty":
                return "";
            case "blank":
                Delete(" ");
                return " ";
            case "zero inside":
                return _temp.NewPath() + "\0x";
            case "file":
                return _temp.NewFile(100);
            case "folder":
                string folder = _temp.NewPath();
                Directory.CreateDirectory(folder);
                return folder;
            case "missing folder":
                return Path.Combine(_temp.NewPath(), "file");
            case "slash behind":
                return _temp.NewPath() + Path.DirectorySeparatorChar;
            default:
                return _temp.NewPath();
        }
    }

    /// <summary>What a test has made; " " names a file in the current folder.</summary>
    private static void Delete(string path)
    {
        if (!string.IsNullOrEmpty(path) && File.Exists(path))
        {
            File.Delete(path);
        }
    }
}
