/// A moment as the machine's calendar has it. Whoever keeps the machine may set it, and it may go
/// back: nothing is ordered by it.
package struct CalendarTime: Hashable, Sendable {
    /// Since 1970 began in Greenwich.
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }
}
