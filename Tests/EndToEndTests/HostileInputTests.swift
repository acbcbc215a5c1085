import CacheModel
import MartletClient
import Testing
import TestSupport

extension EndToEndTests {
    @Suite(.serialized) struct HostileInputTests {
        @Test(arguments: [1, UInt64.random(in: 2 ... .max)])
        func randomBytesOnEveryPortLeaveTheClusterServing(seed: UInt64) async throws {
            try await withCluster { cluster in
                var generator = SeededGenerator(seed: seed)
                let entries = SampleEntry.many(60)
                try await cluster.view.fill(entries)
                let topology = try await cluster.client.cluster.topology()
                let endpoints =
                    [topology.controlEndpoint, topology.liveEndpoint]
                    + topology.nodes.flatMap(\.endpoints)
                #expect(endpoints.count == 5)
                for endpoint in endpoints {
                    let port = try #require(UInt16(endpoint.split(separator: ":").last ?? ""))
                    for noise in Self.noises(&generator) {
                        let peer = try TCPSocket.connected(to: port)
                        peer.say(noise)
                        peer.close()
                    }
                    await expectService(cluster, after: "noise on \(endpoint), seed \(seed)")
                }
                await cluster.view.expect(only: entries, of: entries)
                try await cluster.view.settle()
                try await cluster.view.invalidate(.everything)
                await cluster.view.expect(only: [], of: entries)
            }
        }

        /// Silence that stays connected takes nothing from others.
        @Test func manySilentConnectionsLeaveTheClusterServing() async throws {
            try await withCluster { cluster in
                let topology = try await cluster.client.cluster.topology()
                let endpoints =
                    [topology.controlEndpoint, topology.liveEndpoint]
                    + topology.nodes.flatMap(\.endpoints)
                var peers: [TCPSocket] = []
                defer { for peer in peers { peer.close() } }
                for endpoint in endpoints {
                    let port = try #require(UInt16(endpoint.split(separator: ":").last ?? ""))
                    for number in 0..<100 {
                        let peer = try TCPSocket.connected(to: port)
                        peers.append(peer)
                        if number % 2 == 0 { peer.say(Self.handshake("DEALER")) }
                    }
                }
                await expectService(cluster, after: "silent peers")
            }
        }

        private func expectService(_ cluster: Cluster, after what: String) async {
            let ended = cluster.ready.processIDs.filter { !ProcessTable.isAlive($0) }
            #expect(ended.isEmpty, "\(what): processes ended: \(ended)")
            do {
                let key = CacheKey.named("still-served")
                for number in UInt8(0)..<20 {
                    let own = CacheKey.named("still-served-\(number)")
                    _ = try await cluster.client.set(own, to: [number])
                    #expect(try await cluster.client.get(own)?.bytes == [number])
                }
                try await cluster.view.invalidate(.key(key, in: .default))
            } catch {
                Issue.record("\(what): \(error)")
            }
        }

        // MARK: Noise

        private static func noises(_ generator: inout SeededGenerator) -> [[UInt8]] {
            var noises = [0, 1, 9, 10, 64, 65, 1_000, 100_000].map { generator.bytes($0) }
            noises.append(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            noises.append([UInt8](repeating: 0xFF, count: 70_000))
            for kind in ["DEALER", "SUB", "XSUB", "REQ", "ROUTER", "nonsense"] {
                noises.append(handshake(kind) + frames(60, &generator))
                noises.append(handshake(kind) + letters(60, &generator))
            }
            // A frame that announces more than anybody has.
            noises.append(handshake("DEALER") + [2, 0x7F] + [UInt8](repeating: 0xFF, count: 107))
            noises.append(Array(handshake("DEALER").prefix(.random(in: 1..<90, using: &generator))))
            return noises
        }

        /// A ZMTP 3.0 greeting with the mechanism NULL, and a READY command.
        private static func handshake(_ kind: String) -> [UInt8] {
            var greeting: [UInt8] = [0xFF] + [UInt8](repeating: 0, count: 8) + [0x7F, 3, 0]
            greeting += Array("NULL".utf8) + [UInt8](repeating: 0, count: 48)
            var ready: [UInt8] = [5] + Array("READY".utf8)
            ready += [11] + Array("Socket-Type".utf8)
            ready += [0, 0, 0, UInt8(kind.utf8.count)] + Array(kind.utf8)
            return greeting + [4, UInt8(ready.count)] + ready
        }

        /// Frames of any kind with anything inside.
        private static func frames(
            _ count: Int, _ generator: inout SeededGenerator
        ) -> [UInt8] {
            (0..<count).flatMap { _ -> [UInt8] in
                let size = Int.random(in: 0..<200, using: &generator)
                let flags = [0, 0, 0, 1, 4].randomElement(using: &generator) ?? 0
                return [UInt8(flags), UInt8(size)] + generator.bytes(size)
            }
        }

        /// Messages with a good header of a random type and anything for a body. Types that a
        /// stranger may rightly send – DELETE and INVALIDATE – are left out.
        private static func letters(
            _ count: Int, _ generator: inout SeededGenerator
        ) -> [UInt8] {
            (0..<count).flatMap { _ -> [UInt8] in
                var type = UInt8.random(in: .min ... .max, using: &generator)
                if type == 0x03 || type == 0x10 { type = 0x01 }
                let size = Int.random(in: 0..<150, using: &generator)
                let header = Array("ML".utf8) + [1, type] + generator.bytes(20)
                return [0, UInt8(header.count + size)] + header + generator.bytes(size)
            }
        }
    }
}
