using System.Runtime.InteropServices;
using System.Text;
using static Sluice.Faults.Child.Fuse.FuseStructs;

namespace Sluice.Faults.Child.Fuse;

/// <summary>
/// A file system in memory with one <see cref="FuseFault"/>, which speaks to /dev/fuse itself. One thread, in a process of its own: a
/// process that serves the files that it uses stands still as soon as its garbage collector waits for a call to them.
/// </summary>
internal sealed unsafe partial class FuseServer(FuseFault fault)
{
    /// <summary>The bytes of a file that <see cref="FuseFault.Quota"/> leaves.</summary>
    public const int Quota = 1 << 20;

    /// <summary>The most bytes that one read gives under <see cref="FuseFault.ShortRead"/>.</summary>
    public const int ShortRead = 1000;

    private const int MaxWrite = 128 * 1024;
    private const int FolderMode = 0x4000;
    private const int RegularMode = 0x8000;
    private const int FormatMask = 0xF000;
    private const int Eperm = 1, Enoent = 2, Eio = 5, Eexist = 17, Einval = 22, Efbig = 27, Enosys = 38, Enotempty = 39, Edquot = 122;

    private readonly List<Node> _nodes = [new(0), new(FolderMode | 0x1FF) { Links = 2 }];
    private readonly Dictionary<ulong, OpenNode> _open = [];
    private readonly byte[] _reply = new byte[16 + MaxWrite + 4096];
    private ulong _lastHandle;
    private int _replyBytes;
    private Request _request;

    /// <summary>Mounts at the folder and says "ready", or why not; serves until it is unmounted.</summary>
    public int Run(string folder)
    {
        int device = open("/dev/fuse", 0x80002);
        string options = $"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other,default_permissions";
        if (device < 0 || mount("sluice", folder, "fuse.sluice-faults", 6, options) < 0)
        {
            Console.WriteLine($"no FUSE here: errno {Marshal.GetLastSystemError()}");
            return 1;
        }

        Console.WriteLine("ready");
        byte[] buffer = new byte[MaxWrite + 8192];
        while (true)
        {
            fixed (byte* from = buffer)
            {
                nint bytes = read(device, from, (nuint)buffer.Length);
                if (bytes < 0 && Marshal.GetLastSystemError() is Enoent or 4)
                {
                    // A request that was interrupted before it was read.
                    continue;
                }

                if (bytes <= 0)
                {
                    return 0;
                }

                _request = MemoryMarshal.Read<Request>(buffer);
                if (_request.Call is FuseCall.Forget or FuseCall.BatchForget or FuseCall.Interrupt)
                {
                    continue;
                }

                _replyBytes = sizeof(Reply);
                int error = Answer(buffer.AsSpan(sizeof(Request), (int)bytes - sizeof(Request)));
                _replyBytes = error == 0 ? _replyBytes : sizeof(Reply);
                MemoryMarshal.Write(_reply, new Reply { Bytes = (uint)_replyBytes, Error = -error, Id = _request.Id });
                fixed (byte* to = _reply)
                {
                    // ENOENT: the request was interrupted meanwhile.
                    _ = write(device, to, (nuint)_replyBytes);
                }
            }
        }
    }

    private static string Name(ReadOnlySpan<byte> bytes) => Encoding.Latin1.GetString(bytes[..bytes.IndexOf((byte)0)]);

    private int Answer(ReadOnlySpan<byte> body) => _request.Call switch
    {
        FuseCall.Init => Put(new Init { Major = 7, Minor = 31, MaxReadAhead = MaxWrite, Flags = 0x8021, MaxWrite = MaxWrite }),
        FuseCall.Lookup => Asked.Children!.TryGetValue(Name(body), out ulong found) ? PutEntry(found) : Enoent,
        FuseCall.GetAttributes => Put(new AttributesReply { Attributes = Attributes(_request.Node) }),
        FuseCall.SetAttributes => Set(MemoryMarshal.Read<SetAttributes>(body)),
        FuseCall.MakeFolder => Make(Name(body[8..]), FolderMode | MemoryMarshal.Read<uint>(body)),
        FuseCall.Create => Make(Name(body[16..]), MemoryMarshal.Read<uint>(body[4..])) is not 0 and int error
            ? error
            : Open((ulong)_nodes.Count - 1),
        FuseCall.Unlink or FuseCall.RemoveFolder => Remove(Name(body)),
        FuseCall.Rename => Rename(MemoryMarshal.Read<ulong>(body), 0, body[8..]),
        FuseCall.Rename2 => Rename(MemoryMarshal.Read<ulong>(body), MemoryMarshal.Read<uint>(body[8..]), body[16..]),
        FuseCall.Open or FuseCall.OpenFolder => Open(_request.Node),
        FuseCall.Read => Read(MemoryMarshal.Read<Transfer>(body)),
        FuseCall.Write => Write(MemoryMarshal.Read<Transfer>(body), body[sizeof(Transfer)..]),
        FuseCall.ReadFolder => ReadFolder(MemoryMarshal.Read<Transfer>(body)),
        FuseCall.Flush => Flush(_open[MemoryMarshal.Read<ulong>(body)]),
        FuseCall.Release or FuseCall.ReleaseFolder => _open.Remove(MemoryMarshal.Read<ulong>(body)) ? 0 : Einval,
        FuseCall.SyncFolder => fault == FuseFault.FolderSync ? Einval : 0,
        FuseCall.Sync or FuseCall.Destroy => 0,
        FuseCall.Space => Put(new Space
        {
            Blocks = 1 << 20,
            FreeBlocks = 1 << 19,
            AvailableBlocks = 1 << 19,
            Files = 1 << 20,
            FreeFiles = 1 << 19,
            BlockBytes = 4096,
            NameBytes = 255,
            FragmentBytes = 4096,
        }),
        _ => Enosys,
    };

    private Node Asked => _nodes[(int)_request.Node];

    private int Put<T>(in T value)
        where T : unmanaged => Put(MemoryMarshal.AsBytes(new ReadOnlySpan<T>(in value)));

    private int Put(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(_reply.AsSpan(_replyBytes));
        _replyBytes += bytes.Length;
        return 0;
    }

    private int PutEntry(ulong node) => Put(new Entry { Node = node, Attributes = Attributes(node) });

    private Attributes Attributes(ulong number)
    {
        Node node = _nodes[(int)number];
        ulong length = fault == FuseFault.ZeroLength && (node.Mode & FormatMask) == RegularMode ? 0 : (ulong)node.Length;
        return new Attributes
        {
            Inode = number,
            Size = length,
            Blocks = (length + 511) / 512,
            AccessTime = (ulong)node.Accessed.Seconds,
            AccessNanoseconds = node.Accessed.Nanoseconds,
            WriteTime = (ulong)node.Written.Seconds,
            WriteNanoseconds = node.Written.Nanoseconds,
            ChangeTime = (ulong)node.Written.Seconds,
            Mode = node.Mode,
            Links = node.Links,
            User = node.User,
            Group = node.Group,
            BlockBytes = 4096,
        };
    }

    private int Set(SetAttributes set)
    {
        Node node = Asked;
        bool hasMode = (set.Which & 1) != 0, hasSize = (set.Which & 8) != 0, hasTimes = (set.Which & 0x30) != 0;
        if ((hasMode && fault == FuseFault.Chmod) || ((set.Which & 6) != 0 && fault == FuseFault.Chown)
            || (hasTimes && !hasSize && fault == FuseFault.Times))
        {
            return Eperm;
        }

        if (hasSize && set.Size > int.MaxValue / 2)
        {
            return Efbig;
        }

        node.Mode = hasMode ? (node.Mode & FormatMask) | (set.Mode & 0xFFF) : node.Mode;
        node.User = (set.Which & 2) != 0 ? set.User : node.User;
        node.Group = (set.Which & 4) != 0 ? set.Group : node.Group;
        if (hasSize)
        {
            node.SetLength((int)set.Size);
        }

        node.Accessed = (set.Which & 0x80) != 0 ? Time.Now
            : (set.Which & 0x10) != 0 ? new Time((long)set.AccessTime, set.AccessNanoseconds) : node.Accessed;
        node.Written = (set.Which & 0x100) != 0 || (hasSize && !hasTimes) ? Time.Now
            : (set.Which & 0x20) != 0 ? new Time((long)set.WriteTime, set.WriteNanoseconds) : node.Written;
        return Put(new AttributesReply { Attributes = Attributes(_request.Node) });
    }

    private int Make(string name, uint mode)
    {
        if (!Asked.Children!.TryAdd(name, (ulong)_nodes.Count))
        {
            return Eexist;
        }

        uint links = (mode & FormatMask) == FolderMode ? 2u : 1u;
        _nodes.Add(new Node(mode) { Links = links, User = _request.User, Group = _request.Group });
        return PutEntry((ulong)_nodes.Count - 1);
    }

    private int Remove(string name)
    {
        if (!Asked.Children!.TryGetValue(name, out ulong number))
        {
            return Enoent;
        }

        Node node = _nodes[(int)number];
        if (node.Children is { Count: > 0 })
        {
            return Enotempty;
        }

        node.Links--;
        return Asked.Children.Remove(name) ? 0 : Enoent;
    }

    private int Rename(ulong toFolder, uint flags, ReadOnlySpan<byte> names)
    {
        string from = Name(names), to = Name(names[(from.Length + 1)..]);
        Dictionary<string, ulong> target = _nodes[(int)toFolder].Children!;
        if (!Asked.Children!.TryGetValue(from, out ulong moved))
        {
            return Enoent;
        }

        bool isThere = target.TryGetValue(to, out ulong there);
        if (isThere && (flags & 1) != 0)
        {
            return Eexist;
        }

        if (isThere && _nodes[(int)there].Children is { Count: > 0 })
        {
            return Enotempty;
        }

        _ = Asked.Children.Remove(from);
        if (isThere)
        {
            _nodes[(int)there].Links--;
        }

        target[to] = moved;
        return 0;
    }

    private int Open(ulong number)
    {
        Node node = _nodes[(int)number];
        (string, ulong)[] entries = node.Children is { } children
            ? [(".", number), ("..", number), .. children.Select(c => (c.Key, c.Value))]
            : [];
        _open[++_lastHandle] = new OpenNode(node, entries);
        bool isDirect = fault is FuseFault.ZeroLength or FuseFault.ShortRead && node.Children is null;
        return Put(new Opened { Handle = _lastHandle, Flags = isDirect ? 1u : 0 });
    }

    private int Read(Transfer transfer)
    {
        Node node = _open[transfer.Handle].Node;
        int from = (int)Math.Min(transfer.Offset, (ulong)node.Length);
        int bytes = Math.Min((int)transfer.Bytes, node.Length - from);
        return Put(node.Content.AsSpan(from, fault == FuseFault.ShortRead ? Math.Min(bytes, ShortRead) : bytes));
    }

    private int Write(Transfer transfer, ReadOnlySpan<byte> bytes)
    {
        OpenNode opened = _open[transfer.Handle];
        if (transfer.Offset + transfer.Bytes > int.MaxValue / 2)
        {
            return Efbig;
        }

        int from = (int)transfer.Offset;
        if (from + bytes.Length > opened.Node.Length)
        {
            opened.Node.SetLength(from + bytes.Length);
        }

        bytes.CopyTo(opened.Node.Content.AsSpan(from));
        opened.Node.Written = Time.Now;
        opened.HasWritten = true;
        return Put((ulong)bytes.Length);
    }

    /// <summary>
    /// Asked at each close of a descriptor, also of one that a process inherits when another thread starts it: the answer for the same open
    /// file stays the same.
    /// </summary>
    private int Flush(OpenNode opened)
    {
        if (fault == FuseFault.Quota && opened.HasWritten && opened.Node.Length > Quota)
        {
            opened.Node.SetLength(Quota);
            opened.IsOverQuota = true;
        }

        return opened.IsOverQuota ? Edquot : fault == FuseFault.CloseError && opened.HasWritten ? Eio : 0;
    }

    private int ReadFolder(Transfer transfer)
    {
        (string Name, ulong Node)[] entries = _open[transfer.Handle].Entries;
        for (int i = (int)transfer.Offset; i < entries.Length; i++)
        {
            byte[] name = Encoding.Latin1.GetBytes(entries[i].Name);
            int bytes = (sizeof(FolderEntry) + name.Length + 7) & ~7;
            if (_replyBytes - sizeof(Reply) + bytes > transfer.Bytes)
            {
                break;
            }

            int end = _replyBytes + bytes;
            _reply.AsSpan(_replyBytes, bytes).Clear();
            uint type = _nodes[(int)entries[i].Node].Mode >> 12;
            _ = Put(new FolderEntry { Inode = entries[i].Node, NextOffset = (ulong)i + 1, NameBytes = (uint)name.Length, Type = type });
            _ = Put(name);
            _replyBytes = end;
        }

        return 0;
    }

    private readonly record struct Time(long Seconds, uint Nanoseconds)
    {
        public static Time Now
        {
            get
            {
                long ticks = DateTime.UtcNow.Ticks - DateTime.UnixEpoch.Ticks;
                return new Time(ticks / TimeSpan.TicksPerSecond, (uint)(ticks % TimeSpan.TicksPerSecond * 100));
            }
        }
    }

    private sealed class Node(uint mode)
    {
        /// <summary>A folder's names; null of anything else.</summary>
        public Dictionary<string, ulong>? Children { get; } = (mode & FormatMask) == FolderMode ? [] : null;

        public uint Mode { get; set; } = mode;

        public uint Links { get; set; }

        public uint User { get; set; }

        public uint Group { get; set; }

        public Time Accessed { get; set; } = Time.Now;

        public Time Written { get; set; } = Time.Now;

        public byte[] Content { get; private set; } = [];

        public int Length { get; private set; }

        public void SetLength(int length)
        {
            if (length > Content.Length)
            {
                byte[] larger = new byte[Math.Max(length, Content.Length * 2)];
                Content.AsSpan(0, Length).CopyTo(larger);
                Content = larger;
            }
            else if (length < Length)
            {
                Content.AsSpan(length, Length - length).Clear();
            }

            Length = length;
        }
    }

    private sealed record OpenNode(Node Node, (string Name, ulong Node)[] Entries)
    {
        public bool HasWritten { get; set; }

        public bool IsOverQuota { get; set; }
    }

    [LibraryImport("libc", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int open(string path, int flags);

    [LibraryImport("libc", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int mount(string source, string target, string type, nuint flags, string data);

    [LibraryImport("libc")]
    private static partial nint read(int fd, byte* buffer, nuint count);

    [LibraryImport("libc")]
    private static partial nint write(int fd, byte* buffer, nuint count);
}
