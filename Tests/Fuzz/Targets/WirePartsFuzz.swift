import ByteCoding
import CacheModel
import CacheWire

/// Parts of messages without a frame around them, each of which is written as it was read.
///
///     part 1, bytes
enum WirePartsFuzz: FuzzTarget {
    static let name = "wire-parts"

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        let part = script.below(10)
        let bytes = script.restCopied()
        bytes.withUnsafeBytes { raw in
            var reader = ByteReader(raw)
            do throws(WireRefusal) {
                let again = try read(part, &reader, raw)
                check(reader.offset <= raw.count, "a reader stays within its bytes")
                guard let again else { return }
                let taken = [UInt8](raw.prefix(reader.offset))
                check(again == taken, "part \(part) is written otherwise than it was read")
            } catch {
                check(!error.sentence.isEmpty, "a refusal says why")
            }
        }
    }

    /// - Returns: the part written again, where that has one form only.
    private static func read(
        _ part: Int, _ reader: inout ByteReader, _ raw: UnsafeRawBufferPointer
    ) throws(WireRefusal) -> [UInt8]? {
        switch part {
        case 0: try fields(raw)
        case 1: _ = try ResultFields(decoding: raw)
        case 2: return try record(&reader)
        case 3: return try scope(&reader)
        case 4:
            let proof = try Proof(decoding: &reader)
            return written { proof.encode(into: &$0) }
        case 5:
            let valid = try? FillToken.validMilliseconds(in: reader)
            let token = try FillToken(decoding: &reader)
            return written { token.encode(validMilliseconds: valid ?? 0, into: &$0) }
        case 6: _ = try OperationResult(decoding: &reader)
        case 7: _ = try GetOperation(decoding: &reader)
        case 8:
            var tags: [UnsafeRawBufferPointer] = []
            let operation = try SetOperation(decoding: &reader, tags: &tags)
            check(operation.problem != nil || tags.count <= Tag.perEntryMax, "tags are bounded")
        default: _ = try OperationID(decoding: &reader)
        }
        return nil
    }

    private static func fields(_ raw: UnsafeRawBufferPointer) throws(WireRefusal) {
        let fields = try MessageFields(decoding: raw)
        _ = fields.issuerName
    }

    /// One of a form that no release knows is kept as it is.
    private static func record(_ reader: inout ByteReader) throws(WireRefusal) -> [UInt8] {
        let sealed = try SealedRecord(decoding: &reader)
        let digest = LogDigest(sealed.bytes.withUnsafeBytes { StableHash.hash($0) })
        check(sealed.digest == digest, "a digest is of its record")
        let names = sealed.record.scopes.map(\.parts.namespace)
        guard !sealed.record.isOfNewerForm, !names.contains(.default) else { return sealed.bytes }
        return try SealedRecord(sealing: sealed.record).bytes
    }

    private static func scope(_ reader: inout ByteReader) throws(WireRefusal) -> [UInt8]? {
        let scope = try Scope(decoding: &reader)
        let again = written { scope.encode(into: &$0) }
        // The default namespace travels as no bytes, and is taken by its name, too.
        if scope.parts.namespace == .default { return nil }
        return again
    }
}
