using Shouldly;
using Sluice.Uring.Abi;
using Sluice.Uring.Tests.Support;
using Xunit;

namespace Sluice.Uring.Tests;

/// <summary>Each operation, end to end on real files.</summary>
public sealed unsafe class PrepTests : RingTest
{
    private const int AtFdCwd = -100;
    private const int OpenReadWriteCreateCloseOnExec = 2 | 0x40 | 0x80000;

    [SkippableFact]
    public void A_transfer_has_all_that_it_was_given()
    {
        IoUringSqe entry = default;
        byte one = 0;
        Prep.Transfer(&entry, isRead: true, 3, &one, 1, 77, RwFlags.NoWait | RwFlags.Append, 5);
        (entry.Opcode, entry.Fd, entry.Len, entry.Off, entry.UserData).ShouldBe((Opcode.Read, 3, 1u, 77ul, 5ul));
        entry.OpFlags.ShouldBe((uint)(RwFlags.NoWait | RwFlags.Append));
        entry.Addr.ShouldBe((ulong)&one);
    }

    [SkippableTheory]
    [InlineData(0, 4096, 4096)]
    [InlineData(1000, 5000, 5000)]
    [InlineData(9000, 4096, 1000)]
    [InlineData(10000, 4096, 0)]
    public void Read_returns_the_bytes_of_the_file_at_the_offset(long offset, int length, int expected)
    {
        using TempFile file = new(10000);
        using NativeBuffer buffer = new(length, fill: 0xEE);
        using Ring ring = CreateRing();
        Prep.Read(Take(ring), file.Descriptor, buffer.Pointer, (uint)length, offset, RwFlags.None, 1);

        CompleteOne(ring).ShouldBe(expected);

        buffer.Span[..expected].SequenceEqual(file.Content.AsSpan((int)offset, expected)).ShouldBeTrue();
        buffer.Span[expected..].IndexOfAnyExcept((byte)0xEE).ShouldBe(-1);
    }

    [SkippableFact]
    public void Read_of_a_descriptor_that_is_not_open_fails_with_ebadf()
    {
        using NativeBuffer buffer = new(16);
        using Ring ring = CreateRing();
        Prep.Read(Take(ring), int.MaxValue, buffer.Pointer, 16, 0, RwFlags.None, 1);

        CompleteOne(ring).ShouldBe(-Errno.EBADF);
    }

    [SkippableFact]
    public void Write_puts_the_bytes_at_the_offset_and_extends_the_file()
    {
        using TempFile file = new(100);
        using NativeBuffer buffer = new(50, fill: 7);
        using Ring ring = CreateRing();
        Prep.Write(Take(ring), file.Descriptor, buffer.Pointer, 50, 80, RwFlags.None, 1);

        CompleteOne(ring).ShouldBe(50);

        byte[] expected = [.. file.Content[..80], .. buffer.Span];
        file.ReadAll().ShouldBe(expected);
    }

    [SkippableFact]
    public void Write_with_append_flag_ignores_the_offset()
    {
        using TempFile file = new(100);
        using NativeBuffer buffer = new(50, fill: 7);
        using Ring ring = CreateRing();
        Prep.Write(Take(ring), file.Descriptor, buffer.Pointer, 50, 0, RwFlags.Append, 1);

        CompleteOne(ring).ShouldBe(50);

        byte[] expected = [.. file.Content, .. buffer.Span];
        file.ReadAll().ShouldBe(expected);
    }

    [SkippableFact]
    public void ReadV_scatters_over_the_segments_and_the_array_may_go_after_submission()
    {
        using TempFile file = new(10000);
        using NativeBuffer first = new(1000);
        using NativeBuffer second = new(3000);
        using Ring ring = CreateRing();
        Iovec* segments = stackalloc Iovec[3];
        segments[0] = new Iovec { Base = first.Pointer, Len = 1000 };
        segments[1] = new Iovec { Base = first.Pointer, Len = 0 };
        segments[2] = new Iovec { Base = second.Pointer, Len = 3000 };
        Prep.ReadV(Take(ring), file.Descriptor, segments, 3, 500, RwFlags.None, 1);

        ring.Submit().ShouldBe(1);
        new Span<Iovec>(segments, 3).Clear();

        CompleteOne(ring).ShouldBe(4000);
        first.Span.SequenceEqual(file.Content.AsSpan(500, 1000)).ShouldBeTrue();
        second.Span.SequenceEqual(file.Content.AsSpan(1500, 3000)).ShouldBeTrue();
    }

    [SkippableFact]
    public void WriteV_gathers_the_segments_in_order()
    {
        using TempFile file = new();
        using NativeBuffer first = new(1000, fill: 1);
        using NativeBuffer second = new(3000, fill: 2);
        using Ring ring = CreateRing();
        Iovec* segments = stackalloc Iovec[2];
        segments[0] = new Iovec { Base = first.Pointer, Len = 1000 };
        segments[1] = new Iovec { Base = second.Pointer, Len = 3000 };
        Prep.WriteV(Take(ring), file.Descriptor, segments, 2, 0, RwFlags.None, 1);

        CompleteOne(ring).ShouldBe(4000);

        byte[] expected = [.. first.Span, .. second.Span];
        file.ReadAll().ShouldBe(expected);
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public void Fsync_succeeds_on_a_file(bool dataOnly)
    {
        using TempFile file = new(100);
        using Ring ring = CreateRing();
        Prep.Fsync(Take(ring), file.Descriptor, dataOnly ? FsyncFlags.DataSync : FsyncFlags.None, 1);

        CompleteOne(ring).ShouldBe(0);
    }

    [SkippableFact]
    public void OpenAt_creates_a_file_with_the_mode_and_Close_gives_the_descriptor_back()
    {
        RequireOpcode(Opcode.OpenAt);
        RequireOpcode(Opcode.Close);
        string path = TempFile.NewPath();
        using NativeBuffer buffer = new(5, fill: 9);
        using Ring ring = CreateRing();
        try
        {
            fixed (byte* name = TempFile.ToNativePath(path))
            {
                Prep.OpenAt(Take(ring), AtFdCwd, name, OpenReadWriteCreateCloseOnExec, 0x180, 1);
                int fd = CompleteOne(ring);
                fd.ShouldBeGreaterThan(2);

                Prep.Write(Take(ring), fd, buffer.Pointer, 5, 0, RwFlags.None, 2);
                CompleteOne(ring).ShouldBe(5);
                Prep.Close(Take(ring), fd, 3);
                CompleteOne(ring).ShouldBe(0);
                Prep.Write(Take(ring), fd, buffer.Pointer, 5, 0, RwFlags.None, 4);
                CompleteOne(ring).ShouldBe(-Errno.EBADF);
            }

            File.ReadAllBytes(path).ShouldBe([9, 9, 9, 9, 9]);
            new FileInfo(path).UnixFileMode.ShouldBe(UnixFileMode.UserRead | UnixFileMode.UserWrite);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [SkippableFact]
    public void Cancel_ends_a_pipe_read_and_leaves_its_buffer_alone()
    {
        using Pipe pipe = new();
        using NativeBuffer buffer = new(64, fill: 0x5A);
        using Ring ring = CreateRing();
        Prep.Read(Take(ring), pipe.ReadDescriptor, buffer.Pointer, 64, 0, RwFlags.None, 1);
        ring.Submit().ShouldBe(1);
        ring.CqReady.ShouldBe(0u);

        ring.Cancel(1).ShouldBeGreaterThanOrEqualTo(0);
        CompleteOne(ring).ShouldBe(-Errno.ECANCELED);
        pipe.Write(1, 2, 3);
        buffer.Span.IndexOfAnyExcept((byte)0x5A).ShouldBe(-1);
        pipe.ReadByte().ShouldBe(1);
    }

    [SkippableFact]
    public void Cancel_of_something_that_is_not_there_fails_with_enoent()
    {
        using Ring ring = CreateRing();
        ring.Cancel(77).ShouldBe(-Errno.ENOENT);
    }
}
