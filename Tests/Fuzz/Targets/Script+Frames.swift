import ByteCoding
import CacheModel
import CacheWire

/// Messages as a script has them written: of any content within a frame that is right, or by the
/// product's own encoders with fields of the script.
extension Script {
    static let keyTexts = [
        "a", "b", "img:1", "img:2", "long:\(String(repeating: "k", count: 300))",
    ]
    static let spaceTexts = ["default", "sessions", "pages"]
    static let tagTexts = ["news", "t", "other"]

    /// A header that is right, before fields and a body that may be anything.
    mutating func anyFrame() -> [UInt8] {
        let type = byte()
        let count = word()
        let fields = run()
        let body = run()
        return written { writer in
            writer.append(MessageHeader.magic)
            writer.append(MessageHeader.version)
            writer.append(type)
            writer.append(UInt16(0))
            writer.append(count)
            writer.append(UInt64(type))
            writer.append(UInt16(0))
            writer.append(UInt16(truncatingIfNeeded: fields.count))
            writer.append(UInt32(body.count))
            writer.append(fields.count <= Int(UInt16.max) ? fields : [])
            writer.append(body)
        }
    }

    mutating func namespace() -> Namespace {
        Namespace(Self.spaceTexts[below(Self.spaceTexts.count)]) ?? .default
    }

    mutating func keyBytes() -> [UInt8] {
        let choice = below(Self.keyTexts.count + 1)
        return choice < Self.keyTexts.count ? Array(Self.keyTexts[choice].utf8) : run()
    }

    mutating func key() -> CacheKey {
        CacheKey(bytes: keyBytes()) ?? Self.firstKey
    }

    private static let firstKey: CacheKey = {
        guard let key = CacheKey("a") else { fatalError("a is a key") }
        return key
    }()

    mutating func tag() -> Tag {
        guard let tag = Tag(Self.tagTexts[below(Self.tagTexts.count)]) else {
            fatalError("a short text is a tag")
        }
        return tag
    }

    mutating func position() -> LogPosition {
        LogPosition(
            epoch: Epoch(UInt32(truncatingIfNeeded: wild())),
            sequence: SequenceNumber(wild() % (SequenceNumber.max.rawValue + 1)))
    }

    mutating func mark() -> LogMark { LogMark(position: position(), digest: LogDigest(wild())) }

    /// A scope that says something that has a meaning.
    mutating func scope() -> Scope {
        let manner = byte()
        let room = namespace()
        let range: ClosedRange<UInt64>? = manner & 0x80 == 0 ? nil : hashRange()
        switch manner % 5 {
        case 0:
            let version = manner & 0x80 == 0 ? nil : Version(wild())
            return Scope(.key(key(), in: room), minimumVersion: version)
        case 1: return Scope(.tag(tag(), in: room), hashRange: range)
        case 2: return Scope(.prefix(key().bytes, in: room), hashRange: range)
        case 3: return Scope(.namespace(room), hashRange: range)
        default: return Scope(.everything, hashRange: range)
        }
    }

    private mutating func hashRange() -> ClosedRange<UInt64> {
        let (one, other) = (wild(), wild())
        return min(one, other)...max(one, other)
    }

    mutating func scopes() -> [Scope] { (0...below(3)).map { _ in scope() } }

    mutating func strength() -> InvalidationRecord.Strength { isOdd() ? .soft : .hard }

    /// A length of time: most are short.
    mutating func duration() -> Duration {
        let choices = [1, 5, 50, 200, 500, 1_000, 3_000, 10_000, 61_000, 600_000, 86_400_000]
        return .milliseconds(choices[below(choices.count)])
    }
}

/// A publisher's log that goes on as it should: records one after the other.
struct FuzzLog {
    private(set) var records: [SealedRecord] = []
    private(set) var head: LogMark
    let id: LogID

    init(id: LogID = LogID(1), epoch: UInt32 = 1) {
        self.id = id
        head = LogMark(
            position: LogPosition(epoch: Epoch(epoch), sequence: .none),
            digest: LogDigest(startOf: id))
    }

    @discardableResult
    mutating func append(
        _ scopes: [Scope], _ strength: InvalidationRecord.Strength
    ) -> SealedRecord {
        let record = InvalidationRecord(
            position: head.position.next, previousDigest: head.digest, operation: .none,
            strength: strength, scopes: scopes)
        do throws(WireRefusal) {
            let sealed = try SealedRecord(sealing: record)
            head = sealed.mark
            records.append(sealed)
            return sealed
        } catch {
            fatalError("a record of the script is within bounds: \(error)")
        }
    }

    /// Goes on in a later life, which nothing of this one is told in.
    mutating func begin(_ epoch: Epoch) {
        head = LogMark(
            position: LogPosition(epoch: epoch, sequence: .none),
            digest: LogDigest(startOf: id))
        records = []
    }
}
