using System.Reflection;
using Microsoft.Win32.SafeHandles;

namespace Sluice.Tests.Streams;

/// <summary>Every constructor with right and wrong arguments: the same stream, or the same exception for the same parameter, as
/// FileStream.</summary>
public sealed class StreamConstructorTests : IDisposable
{
    private static readonly string[] Paths =
        ["null", "empty", "blank", "zero inside", "file", "missing", "folder", "missing folder", "slash behind"];
    private static readonly string[] Handles = ["null", "invalid", "closed", "read", "write", "both", "asynchronous", "moved", "pipe"];

    /// <summary>Right and wrong arguments for each type of parameter after the path or the handle.</summary>
    private static readonly Dictionary<Type, object?[]> Values = new()
    {
        [typeof(FileMode)] = [.. Enumerable.Range(0, 8).Select(static m => (object)(FileMode)m)],
        [typeof(FileAccess)] = [.. Enumerable.Range(0, 5).Select(static a => (object)(FileAccess)a)],
        [typeof(FileShare)] =
        [
            FileShare.None, FileShare.Read, FileShare.Write, FileShare.ReadWrite, FileShare.Delete, FileShare.Inheritable, (FileShare)8,
            (FileShare)31, (FileShare)32, (FileShare)(-1),
        ],
        [typeof(int)] = [-1, 0, 1, 4096],
        [typeof(bool)] = [false, true],
        [typeof(FileOptions)] =
        [
            FileOptions.None, FileOptions.Asynchronous, FileOptions.WriteThrough, FileOptions.SequentialScan, FileOptions.RandomAccess,
            FileOptions.DeleteOnClose, FileOptions.Encrypted, FileOptions.Asynchronous | FileOptions.SequentialScan, (FileOptions)1,
            (FileOptions)0x2000_0000,
        ],
        [typeof(FileStreamOptions)] = [null, .. AllOptions()],
    };

    private readonly TempFolder _temp = new();
    private string _theirs = "";
    private string _own = "";

    public void Dispose() => _temp.Dispose();

    [Fact]
    public void Every_constructor_gives_what_that_of_FileStream_gives()
    {
        foreach (ConstructorInfo theirs in typeof(FileStream).GetConstructors())
        {
            ParameterInfo[] parameters = theirs.GetParameters();
            Type first = parameters[0].ParameterType;
            ConstructorInfo own = typeof(SluiceStream).GetConstructor([.. parameters.Select(static p => p.ParameterType)])!;
            List<object?[]> all = [[]];
            foreach (ParameterInfo parameter in parameters.Skip(1))
            {
                // The handle that a descriptor is taken from owns it.
                object?[] values = parameter.Name == "ownsHandle" ? [false] : Values[parameter.ParameterType];
                all = [.. from before in all from value in values select (object?[])[.. before, value]];
            }

            // Some of many combinations: the steps have no factor in common with the numbers of values.
            int step = all.Count switch { <= 400 => 1, <= 1600 => 3, <= 3200 => 7, _ => 37 };
            foreach (string kind in first == typeof(string) ? Paths : Handles)
            {
                for (int i = 0; i < all.Count; i += step)
                {
                    object?[] arguments = all[i];
                    string what = $"{theirs} {i}: {string.Join(' ', arguments)}";
                    if (first == typeof(string))
                    {
                        Compare(kind, what, p => Create(theirs, p, arguments), p => Create(own, p, arguments));
                    }
                    else if (first == typeof(SafeFileHandle))
                    {
                        CompareHandles(kind, what, h => Create(theirs, h, arguments), h => Create(own, h, arguments));
                    }
                    else if (kind is not ("null" or "closed") && parameters.Length > 2)
                    {
                        CompareHandles(kind, what,
                            h => Create(theirs, h.DangerousGetHandle(), arguments), h => Create(own, h.DangerousGetHandle(), arguments));
                    }
                }
            }
        }

        static Stream Create(ConstructorInfo constructor, object? first, object?[] rest) =>
            (Stream)constructor.Invoke(BindingFlags.DoNotWrapExceptions, binder: null, [first, .. rest], culture: null);
    }

#pragma warning disable CS0618 // Obsolete, and there for those who change the name of the type only.
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

    private static IEnumerable<FileStreamOptions> AllOptions()
    {
        foreach (FileMode mode in Enum.GetValues<FileMode>())
        {
            foreach (FileAccess access in Enum.GetValues<FileAccess>())
            {
                foreach (long preallocation in (long[])[0, 1, 10_000, 1L << 55])
                {
                    FileStreamOptions options = new() { Mode = mode, Access = access, PreallocationSize = preallocation, BufferSize = 0 };
                    yield return options;
                    if (!OperatingSystem.IsWindows())
                    {
                        yield return new FileStreamOptions
                        {
                            Mode = mode,
                            Access = access,
                            PreallocationSize = preallocation,
                            UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite,
                        };
                    }
                }
            }
        }
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
