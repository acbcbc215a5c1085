import CacheAccess
import CacheModel

@testable import GatewayCore

/// What a script has happen to a hub.
extension FuzzHub {
    /// Whose tokens may see: everything, a namespace, parts of two.
    private static let entries: [AccessEntry?] = {
        let digits = String(repeating: "3f", count: 32)
        let patterns = ["*", "sessions", "default/img:,pages/a"]
        let lines = patterns.map { "web \(digits) read \($0)\n" }
        let lists = lines.map { line in
            do throws(AccessListProblem) {
                return try AccessList(parsing: line).entries.first
            } catch {
                fatalError("\(line) is a list: \(error)")
            }
        }
        return [nil] + lists
    }()

    mutating func happen(_ kind: Int, _ script: inout Script) {
        switch kind {
        case 0...2: receive(log.append(script.scopes(), script.strength()).record)
        // A gateway that is shown a part of the log is not told of every record.
        case 3: log.append(script.scopes(), script.strength())
        case 4:
            if let old = log.records.dropLast(script.below(4)).last { receive(old.record) }
        case 5: log.begin(log.head.position.epoch.next)
        case 6: beat(script.byte() < 224 ? log.head.position : script.position(), &script)
        case 7: lose(continuingAfter: script.isOdd() ? log.head.position : script.position())
        case 8, 9: come(&script)
        case 10: leave(script.byte())
        case 11, 12: read(script.byte(), share: script.byte())
        case 13:
            let comparisons = script.below(32) + 1
            perform { $0.step(comparisons: comparisons, $1, &$2) }
        case 14: pass(script.duration())
        default: end(&script)
        }
    }

    private mutating func beat(_ head: LogPosition, _ script: inout Script) {
        beat(head, isPartial: script.isOdd())
    }

    private mutating func come(_ script: inout Script) {
        let interests = (0...script.below(3)).map { _ in script.scope().target }
        let start: LogPosition? =
            switch script.below(4) {
            case 0: nil
            case 1: script.position()
            default: log.records.dropLast(script.below(16)).last?.position ?? LogPosition.none
            }
        let entry = Self.entries[script.below(Self.entries.count)]
        let until = script.byte() < 32 ? now.advanced(by: script.duration()) : nil
        do throws(PushRefusal) {
            subscribe(try PushSubscription(interests, after: start, for: entry, until: until))
        } catch {
            check(entry != nil, "who may see everything is refused nothing")
            check(!error.sentence.isEmpty, "a refusal has a reason")
        }
    }

    /// Every heartbeat has its tick.
    private mutating func pass(_ duration: Duration) {
        now = now.advanced(by: duration)
        for _ in 0..<PushLimits.heartbeatBuckets {
            perform { $0.tick(now: $1, into: &$2) }
        }
    }

    private mutating func end(_ script: inout Script) {
        if script.byte() > 240 { return perform { hub, _, actions in hub.stop(into: &actions) } }
        let entry = Self.entries[script.below(Self.entries.count)]
        perform { hub, _, actions in hub.revoke(where: { $0 == entry }, into: &actions) }
    }
}
