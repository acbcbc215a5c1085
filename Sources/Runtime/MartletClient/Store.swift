import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire

/// One store, checked against the limits, in its wire form.
struct Store: Sendable {
    let key: CacheKey
    var value: [UInt8]
    var description: SetOperation.Description

    /// Whether its value is too large for one frame.
    var needsUpload: Bool { value.count > WireLimits.chunkBytesMax }

    /// - Throws: ``CacheError/Code/valueTooLarge`` or ``CacheError/Code/invalidArgument``.
    init(_ item: StoreItem) throws(CacheError) {
        guard item.value.count <= WireLimits.valueBytesMax else {
            throw CacheError(
                .valueTooLarge,
                "the value has \(item.value.count) bytes, and at most "
                    + "\(WireLimits.valueBytesMax) can be stored; store it in parts")
        }
        guard item.options.tags.count <= Tag.perEntryMax else {
            throw CacheError(
                .invalidArgument,
                "an entry has at most \(Tag.perEntryMax) tags, not \(item.options.tags.count)")
        }
        key = item.key
        value = item.value
        description = SetOperation.Description(
            timeToLive: try item.options.lifetime.milliseconds(),
            version: item.options.version, tags: item.options.tags)
        description.etag = item.options.etag
        description.representation = item.options.representation
    }

    func with(_ token: FillToken) -> Store {
        var fenced = self
        fenced.description.token = token
        return fenced
    }

    /// Says that a load lease is not needed: a renewal without an ETag or version. In every
    /// release, a node refuses it and ends the lease.
    init(returning token: FillToken, of key: CacheKey) {
        self.key = key
        value = []
        description = SetOperation.Description()
        description.token = token
        description.options = .renew
    }

    func request(
        in namespace: Namespace, at node: NodeID?, deadline: Instant
    ) -> DataRequest {
        let request = DataRequest(
            Envelope(type: .set, namespace: namespace, bringsTokens: true),
            placement: node.map { .node($0) } ?? .routed, deadline: deadline,
            operations: [operation(in: namespace)])
        request.progress[0].isAlone = true
        return request
    }

    /// Makes it a renewal of the resident value: the origin has confirmed that value.
    mutating func renews(etag: Validator?, version: Version) {
        description.options = .renew
        description.etag = etag
        description.version = version
        description.tags = []
    }

    func operation(in namespace: Namespace) -> DataRequest.Operation {
        DataRequest.Operation(of: key, in: namespace, bodyBytes: value.count + 128) { key, writer in
            value.withUnsafeBytes { value in
                SetOperation.append(key: key, value: value, description, to: &writer)
            }
        }
    }

    /// Sends the chunk of the value that begins at `offset`.
    func chunk(id: UInt64, offset: Int, in namespace: Namespace) -> DataRequest.Operation {
        let end = min(offset + WireLimits.chunkBytesMax, value.count)
        return DataRequest.Operation(
            of: key, in: namespace, bodyBytes: end - offset + 64
        ) { _, writer in
            value.withUnsafeBytes { bytes in
                ChunkOperation.append(
                    uploadID: id, totalBytes: bytes.count, offset: offset,
                    bytes: UnsafeRawBufferPointer(rebasing: bytes[offset..<end]), to: &writer)
            }
        }
    }
}

extension StoreOptions.Lifetime {
    func milliseconds() throws(CacheError) -> UInt64 {
        switch self {
        case .namespaceDefault: return SetOperation.ttlDefault
        case .never: return SetOperation.ttlNever
        case .after(let duration):
            let milliseconds = duration.wholeMilliseconds
            guard (1...WireLimits.timeToLiveMax).contains(milliseconds) else {
                throw CacheError(
                    .invalidArgument, "a time to live is 1 ms to 36500 days, or never")
            }
            return milliseconds
        }
    }
}
