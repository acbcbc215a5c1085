import CacheModel
import CacheVerification
import CacheWorkload
import MartletClient

extension DriverState {
    typealias Operation = OperationTable.Operation

    /// Sends a request, or as much of it as there is capacity for.
    ///
    /// - Returns: whether all of it was sent; if not, try again after the next answers.
    mutating func submit(
        _ pending: inout PendingRequest, over connection: inout PipelinedConnection, _ now: UInt64
    ) -> Bool {
        let request = pending.request
        var operation = Operation()
        operation.kind = MeasuredKind(request.kind)
        operation.key = request.key
        operation.keyBytes = UInt32(truncatingIfNeeded: request.keyBytes)
        operation.valueBytes = UInt32(truncatingIfNeeded: request.valueBytes)
        operation.dueAt = pending.dueAt
        operation.askedAt = now
        switch request.kind {
        case .get: return submitGet(operation, over: &connection)
        case .set, .insert:
            if looksInsteadOfStoring {
                operation.kind = .get
                return submitGet(operation, over: &connection)
            }
            return submitChange(operation, over: &connection)
        case .delete, .invalidate: return submitChange(operation, over: &connection)
        case .readModifyWrite:
            operation.step = .reading
            return submitGet(operation, over: &connection)
        case .scan: return submitScan(operation, &pending, over: &connection)
        }
    }

    /// Sends a lookup of the operation's key.
    private mutating func submitGet(
        _ operation: Operation, over connection: inout PipelinedConnection
    ) -> Bool {
        var operation = operation
        if let oracle { operation.version = oracle.oracle.floor(of: operation.key) }
        return submitFirst(operation, over: &connection)
    }

    private mutating func submitFirst(
        _ operation: Operation, over connection: inout PipelinedConnection
    ) -> Bool {
        let tag = table.add(operation)
        let isSent = send(operation, tag, over: &connection)
        if isSent { openCount += 1 } else { table.remove(tag) }
        return isSent
    }

    /// Sends an operation's next request to the shard of its key.
    ///
    /// - Returns: `false` if there is no capacity for it.
    func send(
        _ operation: Operation, _ tag: UInt32, over connection: inout PipelinedConnection
    ) -> Bool {
        let key = scratch.key(operation.key, bytes: Int(operation.keyBytes))
        switch (operation.step, operation.kind) {
        case (.writing, _), (.only, .set), (.only, .insert):
            let value = scratch.value(bytes: Int(operation.valueBytes))
            return connection.submitSet(key: key, value: UnsafeRawBufferPointer(value), tag: tag)
        case (.only, .delete): return connection.submitRemove(key: key, tag: tag)
        default: return connection.submitGet(key: key, wantsToken: fillsMisses, tag: tag)
        }
    }

    private mutating func submitScan(
        _ operation: Operation, _ pending: inout PendingRequest,
        over connection: inout PipelinedConnection
    ) -> Bool {
        let request = pending.request
        if pending.sentKeyCount == 0 {
            var scan = operation
            scan.link = UInt32(request.keyCount)
            pending.scanTag = table.add(scan)
        }
        var one = operation
        one.step = .scanning
        one.link = pending.scanTag
        while pending.sentKeyCount < request.keyCount {
            one.key = request.key + pending.sentKeyCount * request.keyStep
            one.keyBytes = UInt32(truncatingIfNeeded: stream.keyBytes(of: one.key))
            one.valueBytes = UInt32(truncatingIfNeeded: stream.valueBytes(of: one.key))
            guard submitGet(one, over: &connection) else {
                connection.flush()
                return false
            }
            pending.sentKeyCount += 1
        }
        return true
    }

    /// Sends a change of a key. Under `--verify` this is a change of the database and an
    /// invalidation, whatever the operation is: a value that was stored without a token proves
    /// nothing.
    private mutating func submitChange(
        _ operation: Operation, over connection: inout PipelinedConnection
    ) -> Bool {
        if oracle != nil || operation.kind == .invalidate {
            guard connection.canInvalidate else { return false }
            invalidate(operation, over: &connection)
            openCount += 1
            return true
        }
        return submitFirst(operation, over: &connection)
    }

    /// Sends an invalidation; there is capacity for it.
    private mutating func invalidate(
        _ operation: Operation, over connection: inout PipelinedConnection
    ) {
        var operation = operation
        operation.ticket = oracle?.change(operation.key, at: clock.instant)
        let tag = table.add(operation)
        send(invalidation: operation, tag, over: &connection)
    }

    private mutating func send(
        invalidation operation: Operation, _ tag: UInt32,
        over connection: inout PipelinedConnection
    ) {
        let key = scratch.key(
            operation.key, bytes: Int(operation.keyBytes))
        let isSent = connection.submitInvalidate(key: key, tag: tag)
        precondition(isSent, "there was room for an invalidation")
    }

    /// Sends an invalidation that belongs to no request.
    mutating func submitBeside(
        over connection: inout PipelinedConnection, dueAt: UInt64, _ now: UInt64
    ) {
        guard let request = due.nextBeside() else { return }
        var operation = Operation()
        operation.kind = .invalidate
        operation.step = .beside
        operation.key = request.key
        operation.keyBytes = UInt32(truncatingIfNeeded: request.keyBytes)
        operation.dueAt = dueAt
        operation.askedAt = now
        asideCount += 1
        invalidate(operation, over: &connection)
    }

    // MARK: Follow-ups

    /// Sends fills and second halves of operations, as far as there is capacity.
    mutating func submitFollowUps(over connection: inout PipelinedConnection, _ now: UInt64) {
        guard !followUps.isEmpty else { return }
        var done = 0
        while done < followUps.count, submit(followUps[done], over: &connection, now) { done += 1 }
        followUps.removeFirst(done)
    }

    private mutating func submit(
        _ followUp: FollowUp, over connection: inout PipelinedConnection, _ now: UInt64
    ) -> Bool {
        switch followUp {
        case .write(let tag): return submitWrite(tag, over: &connection)
        case .fill(let key, let keyBytes, let valueBytes, let token, let since):
            guard connection.canSubmit else { return false }
            var operation = Operation()
            operation.kind = .fill
            operation.step = .filling
            operation.key = key
            operation.keyBytes = keyBytes
            operation.valueBytes = valueBytes
            operation.dueAt = since
            operation.askedAt = now
            submitFill(operation, token, over: &connection)
            return true
        }
    }

    private mutating func submitFill(
        _ operation: Operation, _ token: PipelinedToken, over connection: inout PipelinedConnection
    ) {
        var operation = operation
        let value = scratch.value(
            bytes: max(Int(operation.valueBytes), oracle == nil ? 0 : VerifiedValue.bytesMin))
        operation.version =
            oracle?.oracle.fill(operation.key, into: value, at: clock.instant) ?? .none
        let tag = table.add(operation)
        let key = scratch.key(operation.key, bytes: Int(operation.keyBytes))
        let isSent = connection.submitSet(
            key: key, value: UnsafeRawBufferPointer(value), token: token, tag: tag)
        precondition(isSent, "there was room for a fill")
        asideCount += 1
    }

    private mutating func submitWrite(
        _ tag: UInt32, over connection: inout PipelinedConnection
    ) -> Bool {
        var operation = table[tag]
        guard oracle == nil else {
            guard connection.canInvalidate else { return false }
            operation.ticket = oracle?.change(operation.key, at: clock.instant)
            table[tag] = operation
            send(invalidation: operation, tag, over: &connection)
            return true
        }
        return send(operation, tag, over: &connection)
    }
}
