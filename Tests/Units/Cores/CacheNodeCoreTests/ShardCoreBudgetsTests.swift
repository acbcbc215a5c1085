import ByteCoding
import CacheAccess
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// How much of a shard one key may have.
@Suite struct ShardCoreBudgetsTests {
    private static let list = """
        slow    \(key(1))  read,write  *  ops=10/s
        heavy   \(key(2))  read        *  bytes=1KiB/s
        patient \(key(3))  read        *  waiting=2
        free    \(key(4))  read,write
        node-2  \(key(5))  node        *  waiting=1
        """

    private static func key(_ number: Int) -> String {
        String(repeating: "0", count: 62) + "0\(number)"
    }

    private enum Who: UInt32 {
        case stranger, slow, heavy, patient, free, node

        var principal: PrincipalNumber { PrincipalNumber(rawValue: rawValue) }
    }

    private static func harness() throws -> ShardHarness {
        var harness = ShardHarness()
        harness.makeLive()
        harness.core.setAccess(try AccessTable(listing: list))
        _ = harness.send(harness.setFrame("k", "v"), of: Who.free.principal)
        return harness
    }

    private static func busy(_ replies: [ShardHarness.Reply]) -> UInt32? {
        guard case .error(let error) = replies.first, error.knownCode == .busy else { return nil }
        return error.retryAfterMilliseconds
    }

    @Test func aPrincipalOverItsBudgetReceivesBusyAndOthersAreServed() throws {
        var harness = try Self.harness()
        let ten = harness.getFrame((0..<10).map { "k\($0)" })
        #expect(Self.busy(harness.send(ten, of: Who.slow.principal)) == nil)
        let one = harness.getFrame(["k"])
        #expect(Self.busy(harness.send(one, of: Who.slow.principal)) == 1)
        #expect(Self.busy(harness.send(one, of: Who.free.principal)) == nil)
        harness.advance(by: .milliseconds(1))
        #expect(Self.busy(harness.send(ten, of: Who.slow.principal)) == nil)
        #expect(Self.busy(harness.send(one, of: Who.slow.principal)) == 1_000)
        #expect(harness.core.admission.statistics.overBudget == 2)
    }

    @Test func largeReplyBytesAreChargedToTheRequestingPrincipal() throws {
        var harness = try Self.harness()
        let value = String(repeating: "x", count: 4_000)
        _ = harness.send(harness.setFrame("large", value), of: Who.free.principal)
        let get = harness.getFrame(["large"])
        #expect(Self.busy(harness.send(get, of: Who.heavy.principal)) == nil)
        let wait = try #require(Self.busy(harness.send(get, of: Who.heavy.principal)))
        #expect((2_900...3_200).contains(wait), "4 000 bytes at 1 024 a second, less one second")
    }

    @Test func refusalsBeyondTheRateAreSilentUntilTheNextSecond() throws {
        var harness = try Self.harness()
        let get = harness.getFrame(["k"])
        var told = 0
        for _ in 0..<3_000 where !harness.send(get, of: Who.stranger.principal).isEmpty {
            told += 1
        }
        #expect(told == Budgets.refusalsPerSecond)
        #expect(harness.core.admission.statistics.refusedSilently == 2_000)
        #expect(!harness.send(get, of: Who.free.principal).isEmpty)
        harness.advance(by: .seconds(1))
        #expect(!harness.send(get, of: Who.stranger.principal).isEmpty)
    }

    @Test func oneKeyMayNotTakeAllTheRoomForRequestsThatWait() throws {
        var harness = try Self.harness()
        var shape = RequestShape()
        shape.atLeast = LogPosition(epoch: Epoch(1), sequence: SequenceNumber(1_000))
        shape.deadlineMilliseconds = 2_000
        let later = harness.getFrame(["k"], [], shape)
        #expect(harness.send(later, of: Who.patient.principal).isEmpty)
        #expect(harness.send(later, of: Who.patient.principal).isEmpty)
        guard case .results(_, let outcomes) = harness.send(later, of: Who.patient.principal).first
        else {
            Issue.record("a third may not wait")
            return
        }
        #expect(outcomes.map(\.status) == [.busy])
        #expect(harness.send(later, of: Who.free.principal).isEmpty)
        // What has left makes room.
        harness.advance(by: .seconds(3))
        #expect(harness.finishWaiting().count == 3)
        #expect(harness.send(later, of: Who.patient.principal).isEmpty)
    }

    @Test func halfOfTheRoomIsThereForOthersWhateverOneKeyDoes() throws {
        var harness = try Self.harness()
        var shape = RequestShape()
        shape.atLeast = LogPosition(epoch: Epoch(1), sequence: SequenceNumber(1_000))
        let later = harness.getFrame(["k"], [], shape)
        for _ in 0..<ShardLimits.waitingMax / 2 {
            #expect(harness.send(later, of: Who.free.principal).isEmpty)
        }
        #expect(!harness.send(later, of: Who.free.principal).isEmpty)
        #expect(harness.send(later, of: Who.patient.principal).isEmpty)
    }

    @Test func nodesWaitForManyWhateverTheirLineSays() throws {
        var harness = try Self.harness()
        var shape = RequestShape()
        shape.atLeast = LogPosition(epoch: Epoch(1), sequence: SequenceNumber(1_000))
        let later = harness.getFrame(["k"], [], shape)
        for _ in 0..<10 { #expect(harness.send(later, of: Who.node.principal).isEmpty) }
    }
}
