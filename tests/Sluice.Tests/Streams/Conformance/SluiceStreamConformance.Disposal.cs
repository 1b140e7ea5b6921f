using Microsoft.Win32.SafeHandles;

namespace Sluice.Tests.Streams;

public abstract partial class SluiceStreamConformance
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Disposing_twice_is_harmless(bool isAsync)
    {
        Stream stream = Create(out string path);
        stream.Write(Bytes.Pattern(10));
        for (int i = 0; i < 3; i++)
        {
            if (isAsync)
            {
                await stream.DisposeAsync();
            }

            stream.Dispose();
            stream.Close();
        }

        OnDisk(path).ShouldBeBytes(Bytes.Pattern(10));
    }

    [Fact]
    public async Task A_disposed_stream_refuses_everything()
    {
        string path = _temp.NewFile(100);
        StreamSubject subject = OpenSubject(path);
        Stream stream = subject.Stream;
        stream.ReadByte().ShouldBe(1);
        SafeFileHandle handle = subject.Handle;
        await stream.DisposeAsync();
        handle.IsClosed.ShouldBeTrue();
        byte[] buffer = new byte[10];
        (stream.CanRead, stream.CanWrite, stream.CanSeek).ShouldBe((false, false, false));
        subject.Name.ShouldBe(path);
        subject.Handle.ShouldBeSameAs(handle);
        Should.Throw<ObjectDisposedException>(() => stream.Read(buffer, 0, 10));
        Should.Throw<ObjectDisposedException>(() => stream.Read(buffer.AsSpan()));
        Should.Throw<ObjectDisposedException>(() => stream.ReadByte());
        Should.Throw<ObjectDisposedException>(() => stream.Write(buffer, 0, 10));
        Should.Throw<ObjectDisposedException>(() => stream.Write(buffer.AsSpan()));
        Should.Throw<ObjectDisposedException>(() => stream.WriteByte(1));
        Should.Throw<ObjectDisposedException>(() => stream.Position);
        Should.Throw<ObjectDisposedException>(() => stream.Position = 1);
        Should.Throw<ObjectDisposedException>(() => stream.Length);
        Should.Throw<ObjectDisposedException>(() => stream.Seek(0, SeekOrigin.Begin));
        Should.Throw<ObjectDisposedException>(() => stream.SetLength(1));
        Should.Throw<ObjectDisposedException>(() => stream.Flush());
        Should.Throw<ObjectDisposedException>(() => subject.Flush(flushToDisk: true));
        Should.Throw<ObjectDisposedException>(() => stream.CopyTo(Stream.Null));
        await Should.ThrowAsync<ObjectDisposedException>(async () => await stream.ReadAsync(buffer));
        await Should.ThrowAsync<ObjectDisposedException>(async () => await stream.WriteAsync(buffer));
        await Should.ThrowAsync<ObjectDisposedException>(async () => await subject.ReadByteAsync());
        await Should.ThrowAsync<ObjectDisposedException>(async () => await subject.WriteByteAsync(1));
        await Should.ThrowAsync<ObjectDisposedException>(() => stream.FlushAsync());
        await Should.ThrowAsync<ObjectDisposedException>(() => stream.CopyToAsync(Stream.Null));
    }

    [Fact]
    public void A_stream_whose_file_was_closed_under_it_can_do_nothing()
    {
        StreamSubject subject = OpenSubject(_temp.NewFile(100));
        Stream stream = subject.Stream;
        stream.ReadByte().ShouldBe(1);
        subject.Handle.Dispose();
        (stream.CanRead, stream.CanWrite, stream.CanSeek).ShouldBe((false, false, false));
        subject.Handle.IsClosed.ShouldBeTrue();
        Should.Throw<ObjectDisposedException>(() => stream.Length);
        stream.Dispose();
    }

    [Fact]
    public void The_operating_system_knows_all_when_the_handle_is_asked_for()
    {
        string path = _temp.NewFile(100);
        StreamSubject subject = OpenSubject(path);
        using Stream stream = subject.Stream;
        stream.Position = 30;
        stream.WriteByte(255);
        SafeFileHandle handle = subject.Handle;
        OnDisk(path)[30].ShouldBe((byte)255);
        Native.OffsetOf(handle).ShouldBe(31);
        stream.ReadByte().ShouldBe(32);
        Native.OffsetOf(subject.Handle).ShouldBe(32);
    }

    [Fact]
    public void A_stream_over_the_handle_of_another_goes_on_where_that_one_was()
    {
        byte[] content = Bytes.Pattern(100);
        StreamSubject subject = OpenSubject(_temp.NewFile(content));
        using Stream first = subject.Stream;
        first.Position = 30;
        first.ReadByte().ShouldBe(content[30]);
        using SluiceStream second = new(subject.Handle, FileAccess.ReadWrite, Math.Max(_bufferSize, 0), _isAsync);
        second.Position.ShouldBe(31);
        second.ReadByte().ShouldBe(content[31]);
        second.Length.ShouldBe(100);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_stream_over_a_SluiceHandle_closes_it_only_when_it_owns_it(bool ownsHandle)
    {
        string path = _temp.NewFile(100);
        using SluiceHandle handle =
            SluiceHandle.Open(path, new SluiceOptions { Access = FileAccess.ReadWrite, Caching = _caching, Engine = _engine });
        SluiceStream stream = new(handle, FileAccess.ReadWrite, _bufferSize, ownsHandle);
        stream.SluiceHandle.ShouldBeSameAs(handle);
        stream.ReadByte().ShouldBe(1);
        stream.WriteByte(255);
        await stream.DisposeAsync();
        handle.SafeFileHandle.IsClosed.ShouldBe(ownsHandle);
        OnDisk(path)[1].ShouldBe((byte)255);
    }

    [Fact]
    public void Properties_say_how_the_stream_was_opened()
    {
        string path = _temp.NewFile(1);
        StreamSubject subject = OpenSubject(path);
        using Stream stream = subject.Stream;
        subject.Name.ShouldBe(path);
        // On Unix .NET 10 returns what was asked for, and .NET 11 false.
        FileOptions options = _isAsync ? FileOptions.Asynchronous : FileOptions.None;
        using (FileStream same = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, 0, options))
        {
            subject.IsAsync.ShouldBe(same.IsAsync);
        }

        (stream.CanRead, stream.CanWrite, stream.CanSeek, stream.CanTimeout).ShouldBe((true, true, true, false));
        (stream as SluiceStream)?.SluiceHandle.Path.ShouldBe(path);
    }

    [SkippableFact]
    public void Regions_are_locked_and_unlocked()
    {
        Skip.IfNot(OperatingSystem.IsLinux() || OperatingSystem.IsWindows(), "no region locks on this system");
        StreamSubject subject = OpenSubject(_temp.NewFile(100));
        using Stream stream = subject.Stream;
        subject.Lock(0, 10);
        subject.Unlock(0, 10);
        Should.Throw<ArgumentOutOfRangeException>(() => subject.Lock(-1, 1)).ParamName.ShouldBe("position");
        Should.Throw<ArgumentOutOfRangeException>(() => subject.Lock(0, -1)).ParamName.ShouldBe("length");
    }
}
