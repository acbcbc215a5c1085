import ByteCoding
import CacheModel

@testable import CacheAccess

/// A list of who is let in. A list that is taken is written out and taken again; and nobody may
/// what the roles and patterns of their line do not say.
///
///     key bytes 1, key, text
enum AllowListFuzz: FuzzTarget {
    static let name = "allow-list"

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        let key = [UInt8](script.take(script.below(16)))
        let text = String(decoding: script.rest(), as: UTF8.self)
        do throws(AccessListProblem) {
            let list = try AccessList(parsing: text)
            writeAgain(list)
            endLinesOtherwise(text, list)
            for entry in list.entries {
                for key in keys(near: entry) + [key] {
                    ask(entry, key)
                    look(entry, key)
                }
            }
            tabulate(list)
        } catch {
            let isFit = error.description.unicodeScalars.allSatisfy {
                $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
            }
            check(isFit, "a problem cannot steer who shows it")
            check(error.line > 0, "a problem is in a line")
        }
    }

    private static func writeAgain(_ list: AccessList) {
        let text = list.entries.map(line).joined(separator: "\n")
        do throws(AccessListProblem) {
            let other = try AccessList(parsing: text)
            let isSame = zip(other.entries, list.entries).allSatisfy { areAlike($0, $1) }
            check(isSame && other.entries.count == list.entries.count, "a list is taken otherwise")
            for entry in list.entries {
                check(list.entry(of: entry.key) == entry, "an entry is found by its key")
            }
        } catch {
            fatalError("a list cannot be read once it is written: \(error)")
        }
    }

    /// As an editor elsewhere ends lines.
    private static func endLinesOtherwise(_ text: String, _ list: AccessList) {
        guard !text.unicodeScalars.contains("\r") else { return }
        let other = text.split(separator: "\n", omittingEmptySubsequences: false)
            .joined(separator: "\r\n")
        do throws(AccessListProblem) {
            let read = try AccessList(parsing: other)
            check(read == list, "a line's end makes a difference")
        } catch {
            fatalError("a line's end makes a list unreadable: \(error)")
        }
    }

    /// But for their dates, which have several forms.
    private static func areAlike(_ one: AccessEntry, _ other: AccessEntry) -> Bool {
        one.name == other.name && one.key == other.key && one.rights == other.rights
            && one.patterns == other.patterns && one.allowance == other.allowance
    }

    private static func line(_ entry: AccessEntry) -> String {
        let roles = AccessRights.roles.filter { entry.rights.isSuperset(of: $0.rights) }
        let words = [
            entry.name, "\(entry.key)", roles.map(\.word).joined(separator: ","),
            entry.patterns.map(pattern).joined(separator: ","),
        ]
        return (words + allowance(entry.allowance)).joined(separator: " ")
    }

    private static func allowance(_ allowance: Allowance) -> [String] {
        [
            allowance.operationsPerSecond.map { "ops=\($0)/s" },
            allowance.bytesPerSecond.map { "bytes=\($0)B/s" },
            allowance.waitingMax.map { "waiting=\($0)" },
        ].compactMap(\.self)
    }

    private static func pattern(_ pattern: KeyPattern) -> String {
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        return switch pattern.reach {
        case .everything: "*"
        case .namespace(let name): text(name)
        case .namespaces(let beginning): text(beginning) + "*"
        case .keys(let beginning, let name):
            text(name) + "/" + beginning.map { "%" + HexText.text(of: [$0]) }.joined()
        }
    }

    // MARK: Asking

    /// A key at the edge of the first pattern that has beginnings, on either side of it.
    private static func keys(near entry: AccessEntry) -> [[UInt8]] {
        for case .keys(let beginning, _) in entry.patterns.map(\.reach) {
            return [beginning, beginning.dropLast(), beginning + [0], beginning.dropLast() + [0]]
        }
        return []
    }

    private static func ask(_ entry: AccessEntry, _ key: [UInt8]) {
        for namespace in ["default", "team-a", "sessions"] {
            let bytes = Array(namespace.utf8)
            for right: AccessRights in [.read, .write, .invalidate] {
                let mayAll = entry.may(right, inAllOf: bytes)
                let mayKey = entry.may(right, keysBeginning: key, in: bytes)
                check(!mayAll || mayKey, "who may all may each")
                check(!entry.mayEverywhere(right) || mayAll, "who may everywhere may here")
                check(!mayKey || entry.rights.contains(right), "a pattern is no right")
                check(mayKey == byHand(entry, right, key, namespace), "\(entry) and \(key)")
                let scope = scope(key, namespace)
                check(scope.map { entry.may(right, with: $0) == mayKey } ?? true, "scopes agree")
            }
        }
        _ = (entry.isInForce(at: 0), entry.mayFollowLog)
    }

    private static func scope(_ key: [UInt8], _ namespace: String) -> Scope? {
        guard let key = CacheKey(bytes: key), let room = Namespace(namespace) else { return nil }
        return Scope(.key(key, in: room))
    }

    /// The same by the text of the patterns.
    private static func byHand(
        _ entry: AccessEntry, _ right: AccessRights, _ key: [UInt8], _ namespace: String
    ) -> Bool {
        guard entry.rights.contains(right) else { return false }
        return entry.patterns.contains { pattern in
            switch pattern.reach {
            case .everything: true
            case .namespace(let name): name == Array(namespace.utf8)
            case .namespaces(let beginning): namespace.utf8.starts(with: beginning)
            case .keys(let beginning, let name):
                name == Array(namespace.utf8) && key.starts(with: beginning)
            }
        }
    }

    private static func tabulate(_ list: AccessList) {
        let table = AccessTable([nil] + list.entries.map(Optional.some))
        check(table.entry(of: .unknown) == nil, "nobody is number 0")
        for number in 0...UInt32(list.entries.count) + 1 {
            let entry = table.entry(of: PrincipalNumber(rawValue: number))
            let isThere = (1...max(list.entries.count, 1)).contains(Int(number))
            check((entry != nil) == (isThere && !list.entries.isEmpty), "a table has its entries")
        }
        check(!table.followers(lostIn: table), "nobody is lost in the same table")
        _ = list.nextEnd(after: 1_700_000_000)
    }
}
