using System.Net.Sockets;
using Microsoft.Win32.SafeHandles;

namespace Sluice.Tests;

/// <summary>Pipes and sockets with O_NONBLOCK are read and written as those that wait, as by System.IO of .NET 11.</summary>
public sealed class NonBlockingPipeTests : IDisposable
{
    private const int Piece = 50_000;

    private static readonly byte[] s_content = Bytes.Pattern(800_000);

    private readonly TempFolder _temp = new();

    public enum Means
    {
        Handle,
        Vector,
        Stream,
        Sequential,
    }

    /// <summary>Each pair of means, sync/async and engine.</summary>
    public static TheoryData<Means, bool, bool> Cases
    {
        get
        {
            TheoryData<Means, bool, bool> data = [];
            bool isPool = true;
            foreach (Means means in Enum.GetValues<Means>())
            {
                data.Add(means, false, isPool);
                data.Add(means, true, !isPool);
                isPool = !isPool;
            }

            return data;
        }
    }

    public void Dispose() => _temp.Dispose();

    [SkippableTheory]
    [MemberData(nameof(Cases))]
    public async Task A_full_pipe_and_an_empty_one_are_waited_for(Means means, bool isAsync, bool isPool)
    {
        (SafeFileHandle read, SafeFileHandle write) = Native.Pipe(isBlocking: false);
        int room = Native.RoomOf(write);
        room.ShouldBeLessThan(s_content.Length);
        await PassAsync(read, write, room, means, isAsync, isPool);
    }

    [SkippableTheory]
    [MemberData(nameof(Cases))]
    public async Task A_full_socket_and_an_empty_one_are_waited_for(Means means, bool isAsync, bool isPool)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "sockets are no files here");
        UnixDomainSocketEndPoint place = new(_temp.NewPath());
        using Socket listener = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        listener.Bind(place);
        listener.Listen(1);
        Socket output = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        output.SendBufferSize = 60_000;
        output.Connect(place);
        int room = output.SendBufferSize;
        room.ShouldBeLessThan(s_content.Length);
        await PassAsync(FileOf(listener.Accept()), FileOf(output), room, means, isAsync, isPool);
    }

    private static async Task PassAsync(
        SafeFileHandle read, SafeFileHandle write, int room, Means means, bool isAsync, bool isPool)
    {
        SluiceHandle output = HandleOf(write, FileAccess.Write, isPool);
        Task writing = Task.Run(() => WriteAllAsync(output, means, isAsync));

        // Nobody reads yet, and the writer has more than the pipe has room for.
        while (Native.AvailableBytes(read) < room / 4 && !writing.IsCompleted)
        {
            await Task.Yield();
        }

        byte[] received = await ReadAllAsync(HandleOf(read, FileAccess.Read, isPool), means, isAsync);
        await writing;
        received.ShouldBeBytes(s_content);
    }

    [SkippableTheory]
    [MemberData(nameof(Cases))]
    public async Task An_answer_is_waited_for(Means means, bool isAsync, bool isPool)
    {
        (SafeFileHandle read, SafeFileHandle write) = Native.Pipe(isBlocking: false);
        (SafeFileHandle readBack, SafeFileHandle writeBack) = Native.Pipe();
        using FileStream asking = new(readBack, FileAccess.Read, 0);
        using FileStream answering = new(write, FileAccess.Write, 0);
        Task answers = Task.Run(() =>
        {
            while (asking.ReadByte() is >= 0 and int question)
            {
                answering.WriteByte((byte)question);
            }
        });
        using (FileStream asked = new(writeBack, FileAccess.Write, 0))
        using (SluiceHandle handle = HandleOf(read, FileAccess.Read, isPool))
        {
            byte[] answer = new byte[1];
            SluiceStream stream = new(handle, FileAccess.Read, 0, ownsHandle: false);
            using SluiceReader reader = new(handle, ownsHandle: false);
            for (int i = 1; i < 100; i++)
            {
                asked.WriteByte((byte)i);
                int bytes = (means, isAsync) switch
                {
                    (Means.Handle, false) => handle.Read(answer, 0),
                    (Means.Handle, true) => await handle.ReadAsync(answer, 0),
                    (Means.Vector, false) => (int)handle.Read([answer.AsMemory()], 0),
                    (Means.Vector, true) => (int)await handle.ReadAsync([answer.AsMemory()], 0),
                    (Means.Stream, false) => stream.Read(answer),
                    (Means.Stream, true) => await stream.ReadAsync(answer),
                    (_, false) => reader.Read(answer),
                    _ => await ReadBlockAsync(reader, answer),
                };
                bytes.ShouldBe(1);
                answer[0].ShouldBe((byte)i);
            }
        }

        await answers;
    }

    [SkippableFact]
    public async Task A_read_of_nothing_does_not_wait()
    {
        (SafeFileHandle read, SafeFileHandle write) = Native.Pipe(isBlocking: false);
        using SafeFileHandle other = write;
        using SluiceHandle handle = HandleOf(read, FileAccess.Read, isPool: false);
        handle.Read(Span<byte>.Empty, 0).ShouldBe(0);
        (await handle.ReadAsync(Memory<byte>.Empty, 0)).ShouldBe(0);
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_other_end_that_goes_ends_a_wait(bool isAsync)
    {
        (SafeFileHandle read, SafeFileHandle write) = Native.Pipe(isBlocking: false);
        using SluiceHandle handle = HandleOf(write, FileAccess.Write, isPool: true);
        byte[] content = Bytes.Pattern(Native.RoomOf(write) + 1);
        Task writing = isAsync ? handle.WriteAsync(content, 0).AsTask() : Task.Run(() => handle.Write(content, 0));
        while (Native.AvailableBytes(read) < content.Length - 1 && !writing.IsCompleted)
        {
            await Task.Yield();
        }

        read.Dispose();
        IOException error = await Should.ThrowAsync<IOException>(() => writing);
        const int brokenPipe = 32;
        error.HResult.ShouldBe(brokenPipe);
    }

    /// <summary>Takes a socket's descriptor over.</summary>
    private static SafeFileHandle FileOf(Socket socket)
    {
        socket.Blocking = false;
        SafeFileHandle file = new(socket.SafeHandle.DangerousGetHandle(), ownsHandle: true);
        socket.SafeHandle.SetHandleAsInvalid();
        return file;
    }

    private static SluiceHandle HandleOf(SafeFileHandle end, FileAccess access, bool isPool) =>
        SluiceHandle.FromSafeFileHandle(end, null, access, ownsHandle: true, isPool ? SluiceEngines.Pool : null);

    private static async Task WriteAllAsync(SluiceHandle handle, Means means, bool isAsync)
    {
        using SluiceHandle owned = handle;
        switch (means)
        {
            case Means.Handle or Means.Vector:
                for (int at = 0; at < s_content.Length; at += Piece)
                {
                    ReadOnlyMemory<byte> piece = s_content.AsMemory(at, Piece);
                    ReadOnlyMemory<byte>[] halves = [piece[..(Piece / 2)], piece[(Piece / 2)..]];
                    switch (means, isAsync)
                    {
                        case (Means.Handle, false):
                            handle.Write(piece.Span, 0);
                            break;
                        case (Means.Handle, true):
                            await handle.WriteAsync(piece, 0);
                            break;
                        case (_, false):
                            handle.Write(halves, 0);
                            break;
                        default:
                            await handle.WriteAsync(halves, 0);
                            break;
                    }
                }

                break;
            case Means.Stream:
                await using (SluiceStream stream = new(handle, FileAccess.Write, 5000, ownsHandle: false))
                {
                    for (int at = 0; at < s_content.Length; at += Piece)
                    {
                        if (isAsync)
                        {
                            await stream.WriteAsync(s_content.AsMemory(at, Piece));
                        }
                        else
                        {
                            stream.Write(s_content, at, Piece);
                        }
                    }
                }

                break;
            default:
                await using (SluiceWriter writer = new(handle, new SluiceWriterOptions { RequestSize = 5000 }, ownsHandle: false))
                {
                    if (isAsync)
                    {
                        await writer.WriteAsync(s_content);
                    }
                    else
                    {
                        writer.Write(s_content);
                    }
                }

                break;
        }
    }

    private static async Task<byte[]> ReadAllAsync(SluiceHandle handle, Means means, bool isAsync)
    {
        using SluiceHandle owned = handle;
        using MemoryStream received = new();
        byte[] buffer = new byte[Piece];
        Memory<byte>[] halves = [buffer.AsMemory(0, Piece / 2), buffer.AsMemory(Piece / 2)];
        using SluiceStream stream = new(handle, FileAccess.Read, 5000, ownsHandle: false);
        using SluiceReader reader = new(handle, new SluiceReaderOptions { RequestSize = 4096 }, ownsHandle: false);
        int bytes;
        do
        {
            bytes = (means, isAsync) switch
            {
                (Means.Handle, false) => handle.Read(buffer, 0),
                (Means.Handle, true) => await handle.ReadAsync(buffer, 0),
                (Means.Vector, false) => (int)handle.Read(halves, 0),
                (Means.Vector, true) => (int)await handle.ReadAsync(halves, 0),
                (Means.Stream, false) => stream.Read(buffer),
                (Means.Stream, true) => await stream.ReadAsync(buffer),
                (_, false) => reader.Read(buffer),
                _ => await ReadBlockAsync(reader, buffer),
            };
            received.Write(buffer, 0, bytes);
        }
        while (bytes > 0);
        return received.ToArray();
    }

    private static async Task<int> ReadBlockAsync(SluiceReader reader, Memory<byte> buffer)
    {
        ReadOnlyMemory<byte> block = await reader.ReadBlockAsync();
        block.CopyTo(buffer);
        return block.Length;
    }
}
