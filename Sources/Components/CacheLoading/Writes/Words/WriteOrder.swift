/// A shard's request to the queue.
package struct WriteOrder: Equatable, Sendable {
    package var ticket: WriteTicket
    package var write: OriginWrite
    /// How long its asker waits for the origin.
    package var patience: Duration

    package init(ticket: WriteTicket, write: OriginWrite, patience: Duration) {
        self.ticket = ticket
        self.write = write
        self.patience = patience
    }
}
