import CacheWire

/// What a server does with a frame before it looks at anything but the frame.
enum Receiver: String, CaseIterable {
    case shard
    case publisher

    enum Verdict: Equatable {
        /// The whole message is answered with an ERROR.
        case error(ErrorCode)
        /// An operation in it is answered with REFUSED outOfRange.
        case refused
        case accepted
    }

    private func serves(_ type: MessageType) -> Bool {
        switch type {
        case .status, .topology, .config: true
        case .get, .set, .delete, .touch, .chunk, .scan, .explain, .compare, .drain, .count,
            .queue:
            self == .shard
        case .forget, .invalidate, .hello, .resume, .ping, .ack, .bye, .floors, .awaitReceipt,
            .pace, .follow:
            self == .publisher
        default: false
        }
    }

    private func isData(_ type: MessageType) -> Bool {
        type.rawValue <= MessageType.chunk.rawValue
    }

    func verdict(on frame: [UInt8]) -> Verdict {
        frame.withUnsafeBytes { bytes in
            do throws(WireRefusal) {
                let message = try MessageView(decoding: bytes)
                guard serves(message.type) else { return .error(.unsupported) }
                guard !message.fields.isFresh || message.type == .get || !isData(message.type)
                else { return .error(.unsupported) }
                let body = try DecodedBody.decode(message)
                return body.isRefused ? .refused : .accepted
            } catch {
                return .error(error.code)
            }
        }
    }
}
