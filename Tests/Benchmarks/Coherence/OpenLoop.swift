/// So many things at even moments, whether or not the one before has been answered.
struct OpenLoop: Sendable {
    var count: Int
    var perSecond: Int
    var startsAt: UInt64

    /// When number `index` is due.
    func due(_ index: Int) -> UInt64 {
        startsAt + UInt64(index) * 1_000_000_000 / UInt64(perSecond)
    }

    /// Sends each when it is due, or at once if that is past.
    ///
    /// - Returns: when each was sent in truth.
    func run(_ send: (Int) throws -> Void) rethrows -> [UInt64] {
        var sentAt: [UInt64] = []
        sentAt.reserveCapacity(count)
        for index in 0..<count {
            Time.pause(until: due(index))
            sentAt.append(Time.now)
            try send(index)
        }
        return sentAt
    }

    /// How late they were sent.
    func lateness(_ sentAt: [UInt64]) -> Sample {
        Sample(sentAt.enumerated().map { Double($1) - Double(due($0)) })
    }
}
