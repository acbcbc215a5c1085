package import CacheDisk

/// What the shell has to do for a shard's disk tier, or to tell.
package enum DiskNotice: Equatable, Sendable {
    /// It takes what is stored, and answers. If it goes on, the shard is where that was in the
    /// publisher's log.
    case open(entryCount: Int, goesOnFrom: RecoveredPlace?)
    /// Not everything that an earlier life left proved itself: what lay in so many segments, and
    /// before them, is gone.
    case damaged(segments: Int)
    /// What lies in the file must not be believed: make it anew.
    case unusable(UnusableCause)
    /// Nothing more is asked of this file.
    case failed(DiskFailure)
    /// What lay there is nothing.
    case discarded(DiscardCause)
    /// It has fewer bytes than its file was made for, as its file system is short of space; or all
    /// of them again.
    case room(bytes: Int, of: Int)
    /// It gives nothing back: the file system makes no holes in files.
    case spaceKept(DiskFailure)
    /// It was ended in order.
    case closed
}
