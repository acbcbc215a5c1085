import ByteCoding
import CacheModel
import CacheWire
import Threading

extension ScriptedServer {
    func writeResults(
        _ message: MessageView, _ cluster: ScriptedCluster, into writer: inout ByteWriter
    ) throws {
        let namespace =
            message.fields.namespace.map { String(decoding: $0, as: UTF8.self) } ?? "default"
        var body = ByteWriter()
        var reader = ByteReader(message.body)
        for _ in 0..<message.count {
            try writeResult(message, &reader, namespace, cluster, into: &body)
        }
        try reader.expectEnd()
        let version = script.withLock { $0.topologyVersion } ?? cluster.report.version
        let reply = MessageWriter(.results, requestID: message.requestID, into: &writer)
        Proof(
            position: script.withLock { $0.claim } ?? cluster.head, state: .live,
            leaseLeftMilliseconds: 1_000, topologyVersion: version
        ).encode(into: &writer)
        writer.append(body.bytes)
        reply.finish(&writer, count: message.count)
    }

    /// Refuses a message as a whole, before any of it is done, for one key that is forbidden.
    func authorise(_ message: MessageView) throws(WireRefusal) {
        let forbidden = script.withLock { $0.forbidden }
        guard !forbidden.isEmpty else { return }
        var reader = ByteReader(message.body)
        for _ in 0..<message.count {
            var tags: [UnsafeRawBufferPointer] = []
            let key =
                switch message.type {
                case .get: try GetOperation(decoding: &reader).key
                case .delete: try DeleteOperation(decoding: &reader).key
                case .touch: try TouchOperation(decoding: &reader).key
                case .set: try SetOperation(decoding: &reader, tags: &tags).key
                default: UnsafeRawBufferPointer(start: nil, count: 0)
                }
            guard !forbidden.contains([UInt8](key)) else {
                throw WireRefusal(.unauthorised, "your key may not: it takes another role")
            }
        }
    }

    private func writeResult(
        _ message: MessageView, _ reader: inout ByteReader, _ namespace: String,
        _ cluster: ScriptedCluster, into writer: inout ByteWriter
    ) throws {
        var scratch = ByteWriter()
        switch message.type {
        case .get:
            let get = try GetOperation(decoding: &reader)
            let key = [UInt8](get.key)
            let isAgain = message.fields.marks.contains(.again)
            store.withLock {
                $0.get(key, namespace, get, (cluster.head, isAgain), into: &scratch)
            }
        case .set:
            var tags: [UnsafeRawBufferPointer] = []
            let set = try SetOperation(decoding: &reader, tags: &tags)
            let refusal = set.token == nil ? nil : script.withLock { $0.refusesFills }
            let losesUpload = script.withLock { script in
                guard set.upload != nil, script.lostUploads > 0 else { return false }
                script.lostUploads -= 1
                return true
            }
            if losesUpload { store.withLock { $0.uploads = [:] } }
            if let refusal {
                OperationResult.append(.refused, detail: refusal.rawValue, to: &scratch)
            } else {
                let orders = cluster.state.withLock { $0.kind == .replicated } && set.token == nil
                let position = orders ? cluster.advanceHead() : nil
                store.withLock { $0.set(set, namespace, orderedAt: position, into: &scratch) }
            }
        case .delete:
            let delete = try DeleteOperation(decoding: &reader)
            _ = cluster.advanceHead()
            store.withLock { $0.remove([UInt8](delete.key), namespace) }
            OperationResult.append(.removed, to: &scratch)
        case .touch:
            let touch = try TouchOperation(decoding: &reader)
            let isThere = store.withLock { $0.has([UInt8](touch.key), namespace) }
            OperationResult.append(
                isThere ? .touched : .refused,
                detail: isThere ? 0 : StoreRefusal.absent.rawValue, to: &scratch)
        default:
            let chunk = try ChunkOperation(decoding: &reader)
            store.withLock { $0.uploads[chunk.uploadID, default: []] += [UInt8](chunk.bytes) }
            OperationResult.append(.received, to: &scratch)
        }
        if let atLeast = message.fields.atLeast, atLeast > cluster.head,
            script.withLock({ $0.isHonestlyBehind })
        {
            scratch = ByteWriter()
            OperationResult.append(
                .behind, detail: BehindReason.position.rawValue, to: &scratch)
        }
        writer.append(misbehaving(scratch.array))
    }

    /// The result, or what the script says instead.
    private func misbehaving(_ truth: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        let replaced = script.withLock { script in
            if script.busyCount > 0 {
                script.busyCount -= 1
                OperationResult.append(.busy, to: &writer)
                OperationResult.appendField(retryAfterMilliseconds: 3, to: &writer)
                OperationResult.finishFields(from: 0, in: &writer)
            } else if script.deferredCount > 0 {
                script.deferredCount -= 1
                OperationResult.append(.deferred, to: &writer)
            } else if let status = script.status {
                OperationResult.append(status, detail: script.detail, to: &writer)
            } else if script.unknownStatusCount > 0 {
                script.unknownStatusCount -= 1
                OperationResult.append(.hit, to: &writer)
                OperationResult.appendField(version: Version(9), to: &writer)
                OperationResult.finishFields(from: 0, in: &writer)
                OperationResult.appendValue(
                    UnsafeRawBufferPointer(start: nil, count: 0), at: 0, to: &writer)
                writer.patch(UInt8(200), at: 0)
            } else {
                return false
            }
            return true
        }
        return replaced ? writer.array : truth
    }
}

/// The dictionary behind one scripted shard.
struct ScriptedStore: Sendable {
    struct Entry: Sendable {
        var value: [UInt8]
        var version: Version
        var tags: [Tag]
        var identity: UInt64
        var isFenced: Bool
        var representation = Representation()
    }

    private var entries: [[UInt8]: Entry] = [:]
    var uploads: [UInt64: [UInt8]] = [:]
    private(set) var leases: [[UInt8]: UInt64] = [:]
    private var counter: UInt64 = 0
    /// Entries become another one after so many parts of them were read.
    var changesAfterParts = Int.max
    /// The ETag of what is there and not shown, as every miss with a lease names it.
    var withheldTag: Validator?

    private static func name(_ key: [UInt8], _ namespace: String) -> [UInt8] {
        Array(namespace.utf8) + [0] + key
    }

    func has(_ key: [UInt8], _ namespace: String) -> Bool {
        entries[Self.name(key, namespace)] != nil
    }

    var keys: [[UInt8]] {
        entries.keys.map { Array($0.drop { $0 != 0 }.dropFirst()) }
            .sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// What was said of a value of the default namespace; `nil`: it is not there.
    func representation(of key: [UInt8]) -> Representation? {
        entries[Self.name(key, "default")]?.representation
    }

    /// Stores a value of the default namespace by hand.
    mutating func put(_ key: [UInt8], _ value: [UInt8]) {
        counter += 1
        entries[Self.name(key, "default")] = Entry(
            value: value, version: .none, tags: [], identity: counter, isFenced: true)
    }

    mutating func remove(_ key: [UInt8], _ namespace: String) {
        entries[Self.name(key, namespace)] = nil
        leases[Self.name(key, namespace)] = nil
    }

    mutating func get(
        _ key: [UInt8], _ namespace: String, _ get: GetOperation,
        _ asked: (head: LogPosition, isAgain: Bool), into writer: inout ByteWriter
    ) {
        let (head, isAgain) = asked
        let name = Self.name(key, namespace)
        guard var entry = entries[name] else {
            miss(name, get, head, isAgain: isAgain, into: &writer)
            return
        }
        if let part = get.part {
            changesAfterParts -= 1
            if changesAfterParts == 0 {
                entry.identity += 1
                entries[name] = entry
            }
            guard part.identity == entry.identity else {
                OperationResult.append(.changed, to: &writer)
                return
            }
            append(entry, Int(part.offset)..<Int(part.offset + part.length), nil, to: &writer)
        } else if entry.value.count > WireLimits.chunkBytesMax {
            let whole = ResultFields.Whole(
                identity: entry.identity, totalBytes: entry.value.count)
            append(entry, 0..<100_000, whole, to: &writer)
        } else {
            if !get.options.contains(.details) { entry.representation = Representation() }
            append(entry, entry.value.indices, nil, to: &writer)
        }
    }

    private func append(
        _ entry: Entry, _ range: Range<Int>, _ whole: ResultFields.Whole?,
        to writer: inout ByteWriter
    ) {
        OperationResult.append(
            .hit, flags: entry.isFenced ? [] : .unfenced, detail: Tier.memory.rawValue,
            to: &writer)
        OperationResult.setTimes(age: 5, ttl: .max, at: 0, in: &writer)
        OperationResult.appendField(version: entry.version, to: &writer)
        for tag in entry.tags {
            tag.bytes.withUnsafeBytes {
                OperationResult.appendField(OperationResult.FieldID.tag, $0, to: &writer)
            }
        }
        RepresentationFields.append(
            entry.representation, by: RepresentationFields.inResult, to: &writer)
        if let whole { OperationResult.appendField(whole: whole, to: &writer) }
        OperationResult.finishFields(from: 0, in: &writer)
        entry.value.withUnsafeBytes {
            OperationResult.appendValue(
                UnsafeRawBufferPointer(rebasing: $0[range]), at: 0, to: &writer)
        }
    }

    private mutating func miss(
        _ name: [UInt8], _ get: GetOperation, _ head: LogPosition, isAgain: Bool,
        into writer: inout ByteWriter
    ) {
        OperationResult.append(.miss, to: &writer)
        guard get.options.contains(.token) else { return }
        if leases[name] != nil, !isAgain {
            OperationResult.appendField(retryAfterMilliseconds: 3, to: &writer)
        } else {
            counter += leases[name] == nil ? 1 : 0
            let nonce = leases[name] ?? counter
            leases[name] = nonce
            let token = FillToken(position: head, incarnation: Incarnation(1), nonce: nonce)
            OperationResult.appendField(token: token, validMilliseconds: 1_000, to: &writer)
            withheldTag?.bytes.withUnsafeBytes {
                OperationResult.appendField(OperationResult.FieldID.etag, $0, to: &writer)
            }
        }
        OperationResult.finishFields(from: 0, in: &writer)
    }

    mutating func set(
        _ set: SetOperation, _ namespace: String, orderedAt position: LogPosition?,
        into writer: inout ByteWriter
    ) {
        let name = Self.name([UInt8](set.key), namespace)
        var value = [UInt8](set.value)
        if let upload = set.upload {
            guard let bytes = uploads.removeValue(forKey: upload.id),
                bytes.count == upload.totalBytes
            else {
                OperationResult.append(
                    .refused, detail: StoreRefusal.uploadIncomplete.rawValue, to: &writer)
                return
            }
            value = bytes
        }
        if let token = set.token, token.nonce != 0, leases[name] != token.nonce {
            OperationResult.append(
                .refused, detail: StoreRefusal.leaseVoid.rawValue, to: &writer)
            return
        }
        if set.options.contains(.renew), set.problem != nil {
            leases[name] = nil
            OperationResult.append(
                .refused, detail: StoreRefusal.outOfRange.rawValue, to: &writer)
            return
        }
        if set.version != .none, let old = entries[name], old.version >= set.version {
            OperationResult.append(
                .refused, detail: StoreRefusal.olderVersion.rawValue, to: &writer)
            return
        }
        leases[name] = nil
        counter += 1
        let isFenced = set.token != nil || position != nil
        entries[name] = Entry(
            value: value, version: set.version, tags: [], identity: counter, isFenced: isFenced,
            representation: set.representation)
        OperationResult.append(.stored, flags: isFenced ? [] : .unfenced, to: &writer)
        if let position {
            let token = FillToken(position: position, incarnation: .none, nonce: 0)
            OperationResult.appendField(token: token, validMilliseconds: 1_000, to: &writer)
            OperationResult.finishFields(from: 0, in: &writer)
        }
    }
}
