using Microsoft.Win32.SafeHandles;

namespace Sluice.Tests.Streams;

public abstract partial class SluiceStreamConformance
{
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
}
