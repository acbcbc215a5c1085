/// What a shard asks of the queue.
package struct WriteOrder: Equatable, Sendable {
    package var ticket: WriteTicket
    package var write: OriginWrite
    /// For how long its asker waits for the origin.
    package var patience: Duration

    package init(ticket: WriteTicket, write: OriginWrite, patience: Duration) {
        self.ticket = ticket
        self.write = write
        self.patience = patience
    }
}
