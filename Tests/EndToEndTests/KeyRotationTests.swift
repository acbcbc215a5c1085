import CacheModel
import Foundation
import MartletClient
import Testing
import TestSupport

extension EndToEndTests {
    /// Keys that are changed under a cluster at work: docs/security.md, Changing keys.
    @Suite(.serialized) struct KeyRotationTests {
        /// Tells a story beside somebody who makes requests all the time, none of which may fail.
        ///
        /// - Parameter role: whose endpoint is the only one that they were given.
        private static func told(
            asking role: String, _ story: (KeyedFleet, Traffic) async throws -> Void
        ) async throws {
            let fleet = try await KeyedFleet()
            defer { fleet.end() }
            try await fleet.publish(key: "publisher")
            let publisher = try #require(fleet.places["publisher"])
            for node in ["n1", "n2"] {
                try await fleet.join(node, key: node, publisher: publisher)
            }
            let client = try fleet.client("app", at: fleet.places[role]?.first)
            try await fleet.untilLive(client)
            let traffic = Traffic(client)
            try await traffic.goesOn()
            try await story(fleet, traffic)
            await traffic.end()
            await client.close()
            let failures = await traffic.tally.failures
            #expect(failures.isEmpty, "\(failures)")
        }

        /// Expects that somebody who knows nothing but this endpoint is served, or is not.
        private static func expect(
            _ fleet: KeyedFleet, servesAt endpoint: String?, _ isServed: Bool = true,
            _ location: SourceLocation = #_sourceLocation
        ) async throws {
            let client = try fleet.client(
                "app", at: endpoint, patience: isServed ? .seconds(20) : .seconds(1))
            var failure: CacheError?
            do throws(CacheError) {
                _ = try await client.get(.named("k"))
            } catch {
                failure = error
            }
            await client.close()
            #expect((failure == nil) == isServed, "\(failure as Any)", sourceLocation: location)
        }

        @Test func aPublisherChangesItsKeyAndNoRequestFails() async throws {
            try await Self.told(asking: "publisher") { fleet, traffic in
                let old = try #require(fleet.places["publisher"])
                try await fleet.make("publisher-2", called: "publisher")
                try await fleet.publish(key: "publisher-2", second: ("publisher", old))
                let new = try #require(fleet.places["publisher"])
                #expect(Set(new).isDisjoint(with: old))

                // The nodes know the old one alone, and so does who comes now; another has the new.
                let client = try fleet.client("app", at: new[0])
                try await fleet.untilLive(client)
                try await Self.expect(fleet, servesAt: old[0])
                try await traffic.goesOn()
                for node in ["n1", "n2"] {
                    try await fleet.join(node, key: node, publisher: new)
                    try await fleet.untilLive(client)
                    try await traffic.goesOn()
                }
                let receipt = try await client.invalidate(
                    [Scope(.tag(.named("t"), in: .default))], wait: .all)
                #expect(receipt.isComplete && receipt.applied.count == 2, "\(receipt)")

                try await fleet.publish(key: "publisher-2", at: new)
                try await fleet.untilLive(client)
                try await traffic.goesOn()
                try await Self.expect(fleet, servesAt: new[0])
                try await Self.expect(fleet, servesAt: old[0], false)
                await client.close()
            }
        }

        @Test func aNodeChangesItsKeyAndNoRequestFails() async throws {
            try await Self.told(asking: "n1") { fleet, traffic in
                let publisher = try #require(fleet.places["publisher"])
                let old = try #require(fleet.places["n1"])
                let client = try fleet.client("app", at: publisher[0])
                try await fleet.make("n1-2", called: "n1", roles: "node")
                try await fleet.join("n1", key: "n1-2", publisher: publisher, second: ("n1", old))
                let new = try #require(fleet.places["n1"])
                try await fleet.untilLive(client)
                let told = try await client.cluster.topology(isRefreshed: true).nodes.flatMap(
                    \.endpoints)
                #expect(Set(told).isSuperset(of: new) && Set(told).isDisjoint(with: old))
                for endpoint in old + new {
                    try await Self.expect(fleet, servesAt: endpoint)
                }
                try await traffic.goesOn()

                let before = fleet.listChanges(seenBy: "publisher")
                try fleet.removeFirstLine(of: "n1")
                try await eventually("the list is read again") {
                    fleet.listChanges(seenBy: "publisher") > before
                }
                try await traffic.goesOn()
                try await fleet.untilLive(client)
                let receipt = try await client.invalidate(
                    [Scope(.tag(.named("t"), in: .default))], wait: .all)
                #expect(receipt.isComplete && receipt.applied.count == 2, "\(receipt)")
                try await Self.expect(fleet, servesAt: old[0])

                try await fleet.join("n1", key: "n1-2", publisher: publisher, at: new)
                try await fleet.untilLive(client)
                try await traffic.goesOn()
                try await Self.expect(fleet, servesAt: new[1])
                try await Self.expect(fleet, servesAt: old[1], false)
                await client.close()
            }
        }

        @Test func aProgramChangesItsKeyByTwoLinesOfOneName() async throws {
            let fleet = try await KeyedFleet()
            defer { fleet.end() }
            try await fleet.publish(key: "publisher")
            let publisher = try #require(fleet.places["publisher"])
            for node in ["n1", "n2"] {
                try await fleet.join(node, key: node, publisher: publisher)
            }
            let old = try fleet.client("app", at: publisher[0])
            try await fleet.untilLive(old)
            let roles = ["publisher", "n1", "n2"]
            let before = roles.map { fleet.listChanges(seenBy: $0) }
            try await fleet.make(
                "app-2", called: "app", roles: "read,write,invalidate,metrics")
            // Who is turned away at its first handshake does not come again.
            try await eventually("everybody has read the list") {
                zip(roles, before).allSatisfy { fleet.listChanges(seenBy: $0) > $1 }
            }
            let new = try fleet.client("app-2", at: publisher[0])
            try await fleet.untilLive(new)
            let traffic = Traffic(new)
            _ = try await old.get(.named("k"))

            try fleet.removeFirstLine(of: "app")
            try await eventually("the old key is refused", within: .seconds(10)) {
                do throws(CacheError) {
                    _ = try await old.get(.named("k"))
                    return false
                } catch {
                    return error.code == .unauthorised
                }
            }
            try await traffic.goesOn()
            await traffic.end()
            let failures = await traffic.tally.failures
            #expect(failures.isEmpty, "\(failures)")
            await old.close()
            await new.close()
        }

        @Test func strangersAreTurnedAwayAtTheSecondEndpointsToo() async throws {
            let fleet = try await KeyedFleet()
            defer { fleet.end() }
            try await fleet.make("publisher-2", called: "publisher")
            try await fleet.publish(
                key: "publisher-2",
                second: ("publisher", ["tcp://127.0.0.1:*", "tcp://127.0.0.1:*"]))
            // The process has tried each of its doors with a key that nobody listed.
            let tried = fleet.log(of: "publisher").split(separator: "\n").filter {
                $0.contains("its key is not in the list")
            }
            #expect(tried.filter { $0.contains("door=control") }.count == 2, "\(tried)")
            #expect(tried.filter { $0.contains("door=live") }.count == 2, "\(tried)")
            let line = try #require(
                fleet.log(of: "publisher").split(separator: "\n").first {
                    $0.contains("with its second key")
                })
            let second = try #require(
                line.split(separator: " ").first { $0.hasPrefix("control=") }
            ).dropFirst("control=".count)
            let asked = try await Program.run([
                "status", "--cluster", "\(second)", "--key", fleet.key("publisher-2"),
                "--timeout", "500ms",
            ])
            #expect(asked.code == 3 && asked.errors.contains("refuses your key"), "\(asked)")
        }

        @Test func aSecondKeyThatMakesNoSenseIsRefused() async throws {
            let fleet = try await KeyedFleet()
            defer { fleet.end() }
            func publisher(_ more: String...) async throws -> Program.Ending {
                try await Program.run(
                    [
                        "publisher", "--bind", "tcp://127.0.0.1:*", "--key",
                        fleet.key("publisher"), "--allow-list",
                        fleet.directory.file("allow-list").path,
                    ] + more)
            }
            let alone = try await publisher("--second-key", fleet.key("n1"))
            #expect(alone.code == 64 && alone.errors.contains("go together"), "\(alone)")
            let same = try await publisher(
                "--second-key", fleet.key("publisher"), "--second-endpoint", "tcp://127.0.0.1:*")
            #expect(same.code == 78 && same.errors.contains("that --key names"), "\(same)")
            let wrong = try await publisher(
                "--second-key", fleet.key("n1"), "--second-endpoint",
                "tcp://127.0.0.1:*?key=" + String(repeating: "1", count: 64))
            #expect(wrong.code == 78 && wrong.errors.contains("names a key"), "\(wrong)")
            let many = try await publisher(
                "--second-key", fleet.key("n1"), "--second-endpoint",
                "tcp://127.0.0.1:*,tcp://127.0.0.1:*,tcp://127.0.0.1:*")
            #expect(many.code == 64 && many.errors.contains("2 are wanted"), "\(many)")
            let bare = try await Program.run([
                "publisher", "--bind", "tcp://127.0.0.1:*", "--second-key", fleet.key("n1"),
            ])
            #expect(bare.code == 64 && bare.errors.contains("give --key too"), "\(bare)")
        }
    }
}
