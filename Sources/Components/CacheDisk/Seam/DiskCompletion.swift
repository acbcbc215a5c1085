/// The result of a ``DiskCommand``.
package struct DiskCompletion: Sendable {
    package enum Outcome: Sendable {
        /// All of it is written, synchronized, released or reserved.
        case done
        /// As many bytes as were asked for.
        case read([UInt8])
        /// Any part of a write may have been executed.
        case failed(DiskFailure)
    }

    package var ticket: DiskTicket
    package var outcome: Outcome

    package init(_ ticket: DiskTicket, _ outcome: Outcome) {
        self.ticket = ticket
        self.outcome = outcome
    }
}
