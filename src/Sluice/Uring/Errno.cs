namespace Sluice.Uring;

/// <summary>The Linux error numbers of file I/O (asm-generic/errno.h; the same on x64 and arm64).</summary>
internal static class Errno
{
    public const int EPERM = 1;
    public const int ENOENT = 2;
    public const int EINTR = 4;
    public const int EIO = 5;
    public const int ENXIO = 6;
    public const int EBADF = 9;
    public const int EAGAIN = 11;
    public const int ENOMEM = 12;
    public const int EACCES = 13;
    public const int EFAULT = 14;
    public const int EBUSY = 16;
    public const int EEXIST = 17;
    public const int EXDEV = 18;
    public const int ENODEV = 19;
    public const int ENOTDIR = 20;
    public const int EISDIR = 21;
    public const int EINVAL = 22;
    public const int EMFILE = 24;
    public const int ENOTTY = 25;
    public const int ETXTBSY = 26;
    public const int EFBIG = 27;
    public const int ENOSPC = 28;
    public const int ESPIPE = 29;
    public const int EROFS = 30;
    public const int ERANGE = 34;
    public const int ENAMETOOLONG = 36;
    public const int ENOSYS = 38;
    public const int ENOTEMPTY = 39;
    public const int ELOOP = 40;
    public const int EBADR = 53;
    public const int ENODATA = 61;
    public const int ETIME = 62;
    public const int EOPNOTSUPP = 95;
    public const int ETIMEDOUT = 110;
    public const int EDQUOT = 122;
    public const int ECANCELED = 125;
}
