import ByteCoding
import CacheAccess
import CacheModel
import Testing

/// Every kind of line, to the letter: docs/audit-format.md.
@Suite struct AuditLineTests {
    private static let moment: Int64 = 1_795_520_521_123

    private static func line(_ event: AuditEvent, _ names: AuditNames = .clear) -> String {
        event.line(at: moment, names: names)
    }

    private static func party() throws -> AuditParty {
        let list = try AccessList(
            parsing: "web \(String(repeating: "0a", count: 32)) invalidate")
        var party = AuditParty(list.entries.first, address: "10.0.0.9")
        party.claim = Issuer("job 7")
        return party
    }

    private static let head =
        #"{"time":"2026-11-24T11:42:01.123Z","event":"#
    private static let who =
        #","who":"web","key":"0a0a0a0a0a0a0a0a","from":"10.0.0.9","claim":"job 7""#
    private static let position = LogPosition(epoch: Epoch(1), sequence: SequenceNumber(42))

    @Test func aRequestOfTheOutsideIsNamed() throws {
        var party = try Self.party()
        party.trace = TraceContext(
            traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        let line = Self.line(AuditEvent(.ended, by: party))
        #expect(line.contains(#""claim":"job 7","request":"4bf92f3577b34da6a3ce929d0e0e4736""#))
    }

    @Test func anInvalidationSaysWhatItCovers() throws {
        let images = try #require(Namespace("images"))
        let scopes = [
            Scope(.key(try #require(CacheKey("a\"b")), in: .default), minimumVersion: Version(7)),
            Scope(.tag(try #require(Tag("news")), in: images)), Scope(.namespace(images)),
            Scope(.prefix([0x70, 0xFF], in: images)), Scope(.everything),
        ]
        let event = AuditEvent(
            .invalidated(
                .init(scopes, .hard), at: Self.position, wait: "all", isRepeated: false),
            by: try Self.party())
        #expect(
            Self.line(event) == Self.head + #""invalidate""# + Self.who
                + #","position":"1:42","strength":"hard","scope_count":5,"scopes":["#
                + #"{"kind":"key","name":"a\"b","namespace":"default","min_version":7},"#
                + #"{"kind":"tag","name":"news","namespace":"images"},"#
                + #"{"kind":"namespace","name":"images"},"#
                + #"{"kind":"prefix","name":"p\#u{FFFD}","name_base64":"cP8=","#
                + #""namespace":"images"},"#
                + #"{"kind":"all"}],"wait":"all","repeated":false}"# + "\n")
    }

    @Test func namesAreHashedOrLeftOut() throws {
        let scope = Scope(.key(try #require(CacheKey("user:17")), in: .default))
        let event = AuditEvent(
            .invalidated(.init([scope], .soft), at: Self.position, wait: "none", isRepeated: true))
        let hash = NameHash(key0: 1, key1: 2)
        let hashed = Self.line(event, .hashed(hash))
        let digits = String(hash.hash(Array("user:17".utf8)), radix: 16)
        #expect(hashed.contains("\(digits)\",\"namespace\":\"default\"}]"), "\(hashed)")
        #expect(!hashed.contains("user:17"))
        let none = Self.line(event, .none)
        #expect(none.contains(#""scopes":[{"kind":"key","namespace":"default"}]"#), "\(none)")
        #expect(none.contains(#""wait":"none","repeated":true"#))
    }

    @Test func manyScopesAreCounted() throws {
        let scopes = try (0..<1_000).map {
            Scope(.tag(try #require(Tag("t\($0)")), in: .default))
        }
        let event = AuditEvent(
            .invalidated(.init(scopes, .hard), at: Self.position, wait: "all", isRepeated: false))
        let line = Self.line(event)
        #expect(line.contains(#""scope_count":1000"#))
        #expect(line.contains(#""t31""#) && !line.contains(#""t32""#))
        #expect(event.byteCount < 8_192)
    }

    @Test func receiptsAndOrders() throws {
        let party = try Self.party()
        func said(_ deed: AuditEvent.Deed) -> String {
            let line = Self.line(AuditEvent(deed, by: party))
            #expect(line.hasPrefix(Self.head) && line.hasSuffix("}\n"))
            return line.replacing(Self.head, with: "").replacing(Self.who, with: "")
        }
        let receipt = AuditEvent.Receipt(
            isComplete: false, appliedCount: 2, expiredCount: 1, pendingCount: 3,
            milliseconds: nil)
        #expect(
            said(.receipt(receipt, of: Self.position))
                == #""receipt","position":"1:42","complete":false,"applied":2,"expired":1,"#
                + #""pending":3,"ms":null}"# + "\n")
        let everything = AuditEvent.Order([Scope(.everything)], .soft)
        #expect(
            said(.paced(everything, PacingID(3), spanMilliseconds: 600_000))
                == #""pace","pacing":3,"strength":"soft","scope_count":1,"#
                + #""scopes":[{"kind":"all"}],"over_ms":600000}"# + "\n")
        #expect(said(.paceCancelled(PacingID(3))) == #""cancel","pacing":3}"# + "\n")
        let node = try #require(NodeID("n1"))
        #expect(said(.forgot(node, runCount: 2)) == #""forget","node":"n1","runs":2}"# + "\n")
        #expect(said(.drain(node)) == #""drain","node":"n1"}"# + "\n")
        #expect(
            said(.queue(order: "retry", key: nil, in: .default))
                == #""queue","order":"retry","namespace":"default"}"# + "\n")
        #expect(
            said(.queue(order: "drop", key: CacheKey("k"), in: .default))
                == #""queue","order":"drop","namespace":"default","name":"k"}"# + "\n")
    }

    @Test func denialsStrangersAndLists() throws {
        var stranger = AuditParty(nil, address: "10.0.0.8")
        stranger.key = PublicKey(bytes: [UInt8](repeating: 0xFE, count: 32))
        #expect(
            Self.line(AuditEvent(.stranger(door: "data", reason: "no"), by: stranger))
                == Self.head + #""stranger","who":null,"key":"fefefefefefefefe","#
                + #""from":"10.0.0.8","claim":null,"door":"data","reason":"no"}"# + "\n")
        #expect(
            Self.line(
                AuditEvent(.denied(message: "set", missing: "write"), by: AuditParty(nil)))
                == Self.head + #""denied","who":null,"key":null,"from":null,"claim":null,"#
                + #""message":"set","missing":"write"}"# + "\n")
        #expect(
            Self.line(AuditEvent(.leftOut(count: 9), by: AuditParty(nil)))
                .hasSuffix(#""claim":null,"count":9}"# + "\n"))
        #expect(
            Self.line(AuditEvent(.lost(count: 9))) == Self.head + #""lost","count":9}"# + "\n")
        #expect(
            Self.line(AuditEvent(.began(role: "node n1")))
                == Self.head + #""begin","role":"node n1"}"# + "\n")
        #expect(Self.line(AuditEvent(.ended)) == Self.head + #""end"}"# + "\n")
    }

    @Test func aListEventNamesAddedRemovedAndChangedEntries() throws {
        func key(_ number: Int) -> String { String(repeating: "0\(number)", count: 32) }
        let old = try AccessList(
            parsing: "a \(key(1)) read\nb \(key(2)) read\nc \(key(3)) read")
        let new = try AccessList(
            parsing: "a \(key(1)) read\nb \(key(2)) write\nd \(key(4)) read")
        #expect(
            Self.line(AuditEvent(.list(.init(from: old, to: new))))
                == Self.head
                + #""list","entries":3,"new":["d"],"gone":["c"],"changed":["b"]}"# + "\n")
    }

    /// What a peer chooses cannot end a line or steer the terminal of who reads it.
    @Test func nothingInALineSteersATerminal() throws {
        let name = "\u{1B}[2J\n\u{9B}31m\u{202E}\u{2028}\\\u{7F}é"
        let scope = Scope(.tag(try #require(Tag(name)), in: .default))
        let line = Self.line(
            AuditEvent(
                .invalidated(
                    .init([scope], .hard), at: Self.position, wait: "all", isRepeated: false)))
        #expect(
            line.contains(
                #""name":"\u001b[2J\n\u009b31m\u202e\u2028\\\u007fé""#), "\(line)")
        #expect(line.count { $0 == "\n" } == 1)
    }

    @Test func everyDeedHasAWordThatIsListed() {
        let deeds: [AuditEvent.Deed] = [
            .invalidated(.init([], .hard), at: .none, wait: "", isRepeated: false),
            .receipt(
                .init(
                    isComplete: true, appliedCount: 0, expiredCount: 0, pendingCount: 0,
                    milliseconds: 0), of: .none),
            .paced(.init([], .hard), PacingID(1), spanMilliseconds: 1), .paceCancelled(PacingID(1)),
            .queue(order: "", key: nil, in: .default), .denied(message: "", missing: ""),
            .leftOut(count: 1), .stranger(door: "", reason: ""),
            .list(.init(from: .empty, to: .empty)),
            .began(role: ""), .ended, .lost(count: 1),
        ]
        let words = Set(deeds.map { AuditEvent($0).word }).union(["forget", "drain"])
        #expect(words == Set(AuditEvent.words))
    }

    @Test func timesAreReadAsTheyAreWritten() {
        for moment in stride(from: Int64(0), to: 4_102_444_800_000, by: 86_400_000 * 13 + 1_237) {
            #expect(AuditTime.milliseconds(of: AuditTime.text(of: moment)) == moment)
        }
        #expect(AuditTime.text(of: 0) == "1970-01-01T00:00:00.000Z")
        #expect(AuditTime.text(of: 951_868_800_001) == "2000-03-01T00:00:00.001Z")
        #expect(AuditTime.text(of: 1_709_164_800_000) == "2024-02-29T00:00:00.000Z")
        #expect(AuditTime.milliseconds(of: "1970-01-02") == 86_400_000)
        #expect(AuditTime.milliseconds(of: "1970-01-01T00:00:01Z") == 1_000)
        for wrong in ["", "2026", "2026-13-01", "2026-11-24T25:00:00Z", "2026-11-24T11:00:00"] {
            #expect(AuditTime.milliseconds(of: wrong) == nil, "\(wrong)")
        }
    }

    /// The first of the vectors of the reference implementation: key 00 01 … 0f, input 00 01 ….
    @Test func theHashIsSipHash() {
        let hash = NameHash(key0: 0x0706_0504_0302_0100, key1: 0x0F0E_0D0C_0B0A_0908)
        let wanted: [Int: UInt64] = [
            0: 0x726F_DB47_DD0E_0E31, 1: 0x74F8_39C5_93DC_67FD, 7: 0xAB02_00F5_8B01_D137,
            8: 0x93F5_F579_9A93_2462, 15: 0xA129_CA61_49BE_45E5,
        ]
        for (count, value) in wanted {
            #expect(hash.hash((0..<count).map(UInt8.init)) == value, "\(count)")
        }
    }
}
