import CacheAccess
import CacheInvalidation
package import CacheModel
import CacheWire

/// PACE, and the storage of pacings.
extension PublishingCore {
    mutating func takePace(_ message: IncomingMessage) throws(WireRefusal) {
        let now = message.now
        var request = try PaceRequest(decoding: message.view)
        // A cancel is checked against its pacing's scopes later: only a client that may invalidate
        // those learns whether it runs.
        try message.authorise(request.scopes)
        var requester = message.requester
        requester.party?.claim = request.issuer
        request.issuer = message.issuer(request.issuer)
        if request.order == .list {
            // A client sees only the pacings that it may order itself.
            let visible = pacings.table.all.filter { message.mayInvalidate($0.request.scopes) }
            return pacings.report(visible, to: requester, now: now, output: &output)
        }
        if request.order == .begin {
            try PacedInvalidations.check(request, bytes: message.view.body.count)
        }
        guard pacings.hasRoom(for: requester.principal) else {
            return output.refuse(requester, .busy, "too many orders wait for the disk")
        }
        if request.order == .begin {
            return pacings.begin(request, for: requester, now: now, output: &output)
        }
        let known = pacings.table.pacing(request.id)
        guard known.map({ message.mayInvalidate($0.request.scopes) }) ?? true else {
            output.statistics.denied += 1
            admission.auditDenial(
                of: .pace, by: requester.party, "\(AccessDenial.invalidate)", now: now,
                to: &output)
            return pacings.refuseCancel(request.id, for: requester, output: &output)
        }
        pacings.cancel(request.id, for: requester, now: now, output: &output)
    }

    /// The table of pacings was stored, or could not be.
    ///
    /// - Parameter trouble: the reason of a failure, as text for people.
    package mutating func kept(
        _ trouble: String?, now: Instant, into actions: inout [PublisherAction]
    ) {
        swap(&actions, &output.actions)
        defer { swap(&actions, &output.actions) }
        pacings.stored(trouble, now: now, output: &output)
    }

    /// The table of pacings to store at the end in place of the previous one; `nil` if it is
    /// stored.
    package var pacingsToKeep: [UInt8]? { pacings.unstored }

    /// Continues with the table of pacings that an earlier publisher stored.
    ///
    /// - Returns: how many pacings continue; `nil` if the bytes are damaged, and none does.
    package mutating func resumePacings(_ kept: [UInt8], now: Instant) -> Int? {
        pacings.resume(kept, now: now)
    }
}
