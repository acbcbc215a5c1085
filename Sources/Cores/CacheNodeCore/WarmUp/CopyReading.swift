import ByteCoding
import CacheLoading
import CacheModel
import CacheWire

/// The answer of a peer's shard to a node that copies entries.
package struct CopyReading {
    package var copies: [WarmUp.Copy] = []
    /// Keys to request once more.
    var deferred: [CacheKey] = []
    /// Keys that the peer did not return.
    var missingCount = 0
    /// A value that continues in other frames.
    var partial: PartialValue?
    /// Of values.
    var byteCount = 0
    /// Whether a value may have several frames.
    private var isOfOneKey = false

    /// Reads entries.
    ///
    /// - Parameter partial: the received parts of the only key's value.
    /// - Returns: `nil` if the peer's answer is not of the log of the fence, or the peer is not
    ///   LIVE: without a lease it would return nothing, although it has the entries.
    static func read(
        _ frame: UnsafeRawBufferPointer, of request: WarmUp.CopyRequest, partial: PartialValue?
    ) -> CopyReading? {
        do throws(WireRefusal) {
            let message = try MessageView(decoding: frame)
            let mark = request.fence.mark
            guard message.type == .results, message.count == request.keys.count,
                message.fields.fill == mark.digest
            else { return nil }
            var reader = ByteReader(message.body)
            let proof = try Proof(decoding: &reader)
            let isFromLeaving =
                request.change != nil && proof.state == .draining
                && proof.leaseLeftMilliseconds > 0
            guard proof.state == .live || isFromLeaving,
                proof.position.epoch == mark.position.epoch,
                proof.position >= mark.position
            else { return nil }
            var reading = CopyReading()
            reading.isOfOneKey = request.keys.count == 1
            for key in request.keys {
                let result = try OperationResult(decoding: &reader)
                try reading.take(result, of: key, partial)
            }
            try reader.expectEnd()
            return reading
        } catch {
            return nil
        }
    }

    private mutating func take(
        _ result: OperationResult, of key: CacheKey, _ partial: PartialValue?
    ) throws(WireRefusal) {
        byteCount += result.value.count
        switch result.status {
        case .hit where result.flags.subtracting(.unfenced).isEmpty:
            let fields = try ResultFields(decoding: result.fields)
            guard let facts = PeerReply.facts(result, fields), facts.mayStore else {
                return missingCount += 1
            }
            let isUnfenced = result.flags.contains(.unfenced)
            // It was shorter when its key was listed.
            guard isOfOneKey || fields.whole == nil else { return deferred.append(key) }
            if partial == nil, fields.whole == nil {
                copies.append(
                    WarmUp.Copy(
                        key: key, value: [UInt8](result.value), facts: facts,
                        isUnfenced: isUnfenced))
            } else {
                takePart(result, fields, facts, of: key, partial)
            }
        case .deferred: deferred.append(key)
        default: missingCount += 1
        }
    }

    /// A part of a value. The metadata of the first part applies to all of it.
    private mutating func takePart(
        _ result: OperationResult, _ fields: ResultFields, _ facts: LoadedFacts,
        of key: CacheKey, _ partial: PartialValue?
    ) {
        var known = partial
        if known == nil, let whole = fields.whole {
            known = PartialValue(whole: whole, facts: facts, bytes: [])
        }
        known?.bytes += result.value
        guard let value = known, !result.value.isEmpty,
            value.bytes.count <= value.whole.totalBytes,
            value.whole.totalBytes <= WireLimits.valueBytesMax
        else { return missingCount += 1 }
        guard value.isWhole else { return self.partial = value }
        copies.append(
            WarmUp.Copy(
                key: key, value: value.bytes, facts: value.facts,
                isUnfenced: result.flags.contains(.unfenced)))
    }

    /// Reads entries that fit one frame.
    package static func read(_ frame: [UInt8], of request: WarmUp.CopyRequest) -> CopyReading? {
        frame.withUnsafeBytes { read($0, of: request, partial: nil) }
    }

    // MARK: Contents of a peer

    /// What a peer's shard has to give.
    struct Survey {
        let state: NodeState
        let applied: LogPosition
        /// Whether it gives copies.
        let gives: Bool
        let entries: [(Namespace, Int)]
    }

    /// The contents of a peer's shard. `nil` for any other answer.
    static func survey(_ frame: UnsafeRawBufferPointer) -> Survey? {
        do throws(WireRefusal) {
            let message = try MessageView(decoding: frame)
            guard message.type == .statusReport else { return nil }
            let report = try StatusReport(decoding: message)
            let gives = report.figures.contains { $0.name == CopyFigure.gives }
            let entries = report.figures.compactMap { figure -> (Namespace, Int)? in
                guard figure.name.hasPrefix(CopyFigure.entries) else { return nil }
                let name = String(figure.name.dropFirst(CopyFigure.entries.count))
                // The counts of a peer are not trusted: their sum must not overflow.
                return Namespace(name).map { ($0, Int(UInt32(clamping: figure.value))) }
            }
            return Survey(
                state: report.state, applied: report.mark.position, gives: gives, entries: entries)
        } catch {
            return nil
        }
    }

    /// A page of keys; `nil` for any other answer.
    static func page(_ frame: UnsafeRawBufferPointer) -> ScanPage? {
        do throws(WireRefusal) {
            let message = try MessageView(decoding: frame)
            guard message.type == .scanPage else { return nil }
            return try ScanPage(decoding: message)
        } catch {
            return nil
        }
    }
}
