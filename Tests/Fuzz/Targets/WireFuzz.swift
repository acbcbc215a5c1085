import ByteCoding
import CacheModel
import CacheWire

@testable import Borrowed
@testable import FrameSamples

/// A frame, as anybody who reaches a port may send it, to whoever reads it.
///
/// What is decoded is written, and decoded again: it must say the same.
///
///     manner 1 (bit 0: the header's lengths are set right), frame
enum WireFuzz: FuzzTarget {
    static let name = "wire"

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        let isMended = script.isOdd()
        var frame = script.restCopied()
        if isMended { mend(&frame) }
        frame.withUnsafeBytes { look(at: $0) }
    }

    /// Sets magic, version and lengths right.
    static func mend(_ frame: inout [UInt8]) {
        guard frame.count >= MessageHeader.encodedBytes else { return }
        let room = frame.count - MessageHeader.encodedBytes
        let fields = min(Int(frame.number(at: 18, bytes: 2)), room)
        frame.put(MessageHeader.magic, at: 0, bytes: 2)
        frame.put(MessageHeader.version, at: 2, bytes: 1)
        frame.put(0, at: 4, bytes: 2)
        frame.put(0, at: 16, bytes: 2)
        frame.put(fields, at: 18, bytes: 2)
        frame.put(room - fields, at: 20, bytes: 4)
    }

    private static func look(at frame: UnsafeRawBufferPointer) {
        _ = MessageHeader.requestID(ofDamaged: frame)
        do throws(WireRefusal) {
            let message = try MessageView(decoding: frame)
            if message.type == .results { try readAsClient(message) }
            let body = try DecodedBody.decode(message)
            if !body.isRefused { writeAgain(message, body) }
        } catch {
            check(!error.sentence.isEmpty, "a refusal says why")
        }
    }

    private static func writeAgain(_ message: MessageView, _ body: DecodedBody) {
        let again = written(body.encode)
        again.withUnsafeBytes { bytes in
            do throws(WireRefusal) {
                let other = try DecodedBody.decode(MessageView(decoding: bytes))
                let isSame = other.json == normalised(body.json)
                check(isSame, "\(message.type) is written otherwise than it was read")
            } catch {
                fatalError("\(message.type) cannot be read once it is written: \(error)")
            }
        }
    }

    /// An unknown status is written as a miss by the samples.
    private static func normalised(_ json: JSONValue) -> JSONValue {
        guard let results = json["results"] else { return json }
        var json = json
        json["results"] = .list(
            results.list.map { result in
                guard case .number(let status) = result["status"] ?? .bool(false),
                    ResultStatus(rawValue: UInt8(status)) == nil
                else { return result }
                var result = result
                result["status"] = .small(ResultStatus.miss.rawValue)
                return result
            })
        return json
    }

    /// As the client library copies results out of their frame.
    private static func readAsClient(_ message: MessageView) throws(WireRefusal) {
        var reader = ByteReader(message.body)
        let proof = try Proof(decoding: &reader)
        for _ in 0..<message.count {
            let answer = try OperationAnswer(
                OperationResult(decoding: &reader), proof: proof, node: nil)
            check(answer.value.count <= message.body.count, "a value lies in its message")
        }
    }
}
