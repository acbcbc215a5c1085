/// A moment of the machine's calendar clock. Its administrator may set that clock, and it may go
/// back: nothing is ordered by it.
package struct CalendarTime: Hashable, Sendable {
    /// Since the beginning of 1970, UTC.
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }
}
