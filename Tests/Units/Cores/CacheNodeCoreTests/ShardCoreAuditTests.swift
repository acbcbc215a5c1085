import ByteCoding
import CacheAccess
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// What a shard has for the audit log: docs/decisions/0056.
@Suite struct ShardCoreAuditTests {
    private static let list = """
        reader   \(key(1))  read    default/img:
        writer   \(key(2))  write
        boss     \(key(3))  admin
        """

    private static func key(_ number: Int) -> String {
        String(repeating: "0", count: 62) + "0\(number)"
    }

    /// Principals have the numbers of their lines, from 1.
    private enum Who: UInt32 {
        case stranger, reader, writer, boss
    }

    private static func harness(isAudited: Bool = true) throws -> ShardHarness {
        var harness = ShardHarness()
        var options = ShardOptions(
            node: try #require(NodeID("n1")), shardIndex: ShardIndex(0),
            incarnation: Incarnation(7), memoryBytes: 8 << 20, seed: 1)
        options.isGuarded = true
        options.isAudited = isAudited
        harness.core = ShardCore(options: options)
        harness.core.configure([:], fallback: .standard)
        harness.core.setTopology(frame: ShardHarness.topology(.replicated), now: harness.now)
        harness.core.setAccess(try table())
        harness.makeLive()
        return harness
    }

    private static func table() throws -> AccessTable {
        try AccessTable(listing: list)
    }

    private static func party(_ who: Who) throws -> AuditParty {
        AuditParty(try table().entry(of: PrincipalNumber(rawValue: who.rawValue)))
    }

    private static func send(_ frame: [UInt8], as who: Who, to harness: inout ShardHarness) {
        _ = harness.send(frame, of: PrincipalNumber(rawValue: who.rawValue))
    }

    private static func take(_ harness: inout ShardHarness) -> [ShardAuditNote] {
        harness.core.takeAuditNotes(now: harness.now)
    }

    private static func hasNotes(_ harness: borrowing ShardHarness) -> Bool {
        harness.core.hasAuditNotes
    }

    @Test func aDenialRecordsItsPrincipalMessageAndMissingRole() throws {
        var harness = try Self.harness()
        Self.send(harness.getFrame(["other"]), as: .reader, to: &harness)
        Self.send(harness.setFrame("img:1", "v"), as: .reader, to: &harness)
        Self.send(harness.getFrame(["img:1"]), as: .stranger, to: &harness)
        Self.send(harness.getFrame(["img:1"]), as: .reader, to: &harness)
        let hasNotes = Self.hasNotes(harness)
        #expect(hasNotes)
        let notes = Self.take(&harness)
        #expect(notes.allSatisfy { $0.peer == ShardHarness.peer })
        #expect(
            notes.map(\.event) == [
                AuditEvent(.denied(message: "get", missing: "read"), by: try Self.party(.reader)),
                AuditEvent(.denied(message: "set", missing: "write"), by: try Self.party(.reader)),
                AuditEvent(
                    .denied(message: "get", missing: "entry"), by: try Self.party(.stranger)),
            ])
        let hasRest = Self.hasNotes(harness)
        #expect(!hasRest)
    }

    @Test func denialsOfAKeyAreBounded() throws {
        var harness = try Self.harness()
        let frame = harness.getFrame(["other"])
        for _ in 0..<50 { Self.send(frame, as: .reader, to: &harness) }
        #expect(Self.take(&harness).count == 4)
        for _ in 0..<50 { Self.send(frame, as: .reader, to: &harness) }
        #expect(Self.take(&harness) == [])
        harness.advance(by: .milliseconds(1_001))
        let rest = Self.take(&harness)
        #expect(
            rest.map(\.event)
                == [AuditEvent(.leftOut(count: 96), by: try Self.party(.reader))])
        #expect(rest.first?.peer == nil)
    }

    @Test func ordersAboutTheNodeAreNotedAndQuestionsAreNot() throws {
        var harness = try Self.harness()
        let node = try #require(NodeID("n1"))
        func bytes(_ encode: (inout ByteWriter) -> Void) -> [UInt8] {
            var writer = ByteWriter()
            encode(&writer)
            return writer.array
        }
        var retry = QueueRequest(.retry)
        retry.key = CacheKey("k")
        Self.send(
            bytes { QueueRequest(.list).encode(requestID: 1, into: &$0) }, as: .boss, to: &harness)
        Self.send(bytes { retry.encode(requestID: 2, into: &$0) }, as: .boss, to: &harness)
        Self.send(
            bytes { NodeOrder(.drain, node).encode(requestID: 3, into: &$0) }, as: .boss,
            to: &harness)
        #expect(
            Self.take(&harness).map(\.event) == [
                AuditEvent(
                    .queue(order: "retry", key: CacheKey("k"), in: .default),
                    by: try Self.party(.boss)),
                AuditEvent(.drain(node), by: try Self.party(.boss)),
            ])
    }

    @Test func whatClientsDoWithEntriesHasNoLine() throws {
        var harness = try Self.harness()
        Self.send(harness.getFrame(["k"]), as: .boss, to: &harness)
        Self.send(harness.setFrame("k", "v"), as: .boss, to: &harness)
        let hasOrdinary = Self.hasNotes(harness)
        #expect(!hasOrdinary)
        var silent = try Self.harness(isAudited: false)
        Self.send(silent.getFrame(["k"]), as: .stranger, to: &silent)
        let hasSilent = Self.hasNotes(silent)
        #expect(!hasSilent)
        #expect(silent.core.admission.statistics.denied == 1)
    }

    @Test func whatANodeOrdersOfThePublisherNamesItsClient() throws {
        var harness = try Self.harness()
        Self.send(harness.deleteFrame(["k"]), as: .writer, to: &harness)
        let requests = harness.effects.compactMap { effect in
            if case .publish(let request) = effect { request } else { nil }
        }
        #expect(requests.map(\.issuer?.name) == ["writer"])
        var open = ShardHarness()
        _ = open.send(open.deleteFrame(["k"]))
        let plain = open.effects.compactMap { effect in
            if case .publish(let request) = effect { request } else { nil }
        }
        #expect(plain.count == 1 && plain.allSatisfy { $0.issuer == nil })
    }
}
