import TestSupport

#if os(Linux)
    import CacheModel
    import Foundation
    import MartletClient
    import Testing
    import Threading
    import ZeroMQ

    extension EndToEndTests {
        /// Descriptors: how many there may be, and what is when there are none left.
        @Suite(.serialized) struct DescriptorTests {
            /// Sets how many descriptors a running process may have.
            ///
            /// - Parameter isSoft: whether it may allow itself more again.
            private static func limit(
                _ processID: Int32, to count: Int, isSoft: Bool = false
            ) throws {
                let tool = Process()
                tool.executableURL = URL(fileURLWithPath: "/usr/bin/env")
                tool.arguments = [
                    "prlimit", "--pid", "\(processID)",
                    "--nofile=\(count):\(isSoft ? "" : "\(count)")",
                ]
                try tool.run()
                tool.waitUntilExit()
                #expect(tool.terminationStatus == 0)
            }

            private static func figures(
                _ cluster: Cluster, _ node: NodeID
            ) async throws -> (open: UInt64, max: UInt64) {
                let shards = try await cluster.client.cluster.status(of: node)
                let figures = try #require(shards.first).figures
                return (
                    try #require(figures["descriptors"]), try #require(figures["descriptors_max"])
                )
            }

            @Test func rolesRaiseTheirDescriptorLimitAndReportOpenDescriptors() async throws {
                var plan = ClusterPlan()
                plan.nodeCount = 1
                try await withCluster(plan) { cluster in
                    let node = try #require(cluster.view.nodes.first)
                    let max = try await Self.figures(cluster, node).max
                    let folder = "/proc/\(try cluster.processID(of: node))"
                    // A node counts now and then: at its start it may have fewer than now.
                    try await eventually("a node tells how many descriptors it has open") {
                        let open = try await Self.figures(cluster, node).open
                        let count = try FileManager.default.contentsOfDirectory(
                            atPath: folder + "/fd"
                        ).count
                        return open > 5 && count - 8...count + 8 ~= Int(open)
                    }
                    let line = try #require(
                        String(contentsOfFile: folder + "/limits", encoding: .utf8)
                            .split(separator: "\n").first { $0.hasPrefix("Max open files") })
                    let numbers = line.split(separator: " ").compactMap { UInt64($0) }
                    #expect(numbers == [max, max] || numbers.first == 1 << 20, "\(line)")
                    let publisher = try await cluster.client.cluster.publisherStatus().figures
                    #expect(publisher["descriptors"] ?? 0 > 5)
                    #expect(publisher["descriptors_max"] == max)
                }
            }

            /// That it is given back takes minutes to see (Tests/Hostile); who does it does not.
            @Test func everyRoleHasAThreadThatGivesFreedMemoryBack() async throws {
                var plan = ClusterPlan()
                plan.nodeCount = 1
                try await withCluster(plan) { cluster in
                    let node = try #require(cluster.view.nodes.first)
                    let publisher = cluster.ready.publisher.pid
                    for process in [publisher, try cluster.processID(of: node)] {
                        let names = ProcessTable.threadNames(of: process)
                        #expect(names.contains("freed-memory"), "\(names)")
                    }
                }
            }

            @Test func aNodeHasAsManyThreadsForConnectionsAsItIsTold() async throws {
                var plan = ClusterPlan()
                plan.nodeCount = 1
                plan.isSecure = true
                plan.environment = ["MARTLET_IO_THREADS": "3"]
                try await withCluster(plan) { cluster in
                    let node = try #require(cluster.view.nodes.first)
                    let names = ProcessTable.threadNames(of: try cluster.processID(of: node))
                    #expect(names.count { $0.hasPrefix("ZMQbg/IO/") } == 3, "\(names)")
                    let endpoint = try #require(cluster.ready.publisher.endpoint)
                    let others = try (0..<8).map { _ in
                        try ClusterView(
                            endpoint: endpoint,
                            keyFile: cluster.directory.file("keys/admin.key"), nodes: [node],
                            isReplicated: false
                        ).client
                    }
                    // All stay connected, more than there are threads: each of those serves some.
                    for (number, other) in others.enumerated() {
                        _ = try await other.set(.named("k"), to: [UInt8(number)])
                        #expect(try await other.get(.named("k"))?.bytes == [UInt8(number)])
                    }
                    for other in others { await other.close() }
                }
            }

            @Test func afterAllDescriptorsWereTakenServiceIsNormalWithinFiveSeconds()
                async throws
            {
                var plan = ClusterPlan()
                plan.nodeCount = 1
                try await withCluster(plan) { cluster in
                    let node = try #require(cluster.view.nodes.first)
                    let place = try #require(cluster.ready.nodes.first?.endpoints?.first)
                    _ = try await cluster.client.set(.named("k"), to: [1])
                    let open = Int(try await Self.figures(cluster, node).open)
                    let processID = try cluster.processID(of: node)
                    let limit = open + 40
                    try Self.limit(processID, to: limit)

                    let context = try Context()
                    try await Self.crowd(context, at: place, count: 80) {
                        // The alarm comes earlier: not all that connect are connected by then.
                        try await eventually("all descriptors but the reserve are taken") {
                            try FileManager.default.contentsOfDirectory(
                                atPath: "/proc/\(processID)/fd"
                            ).count >= limit - DescriptorReserve.count(of: limit)
                        }
                        try await eventually("the alarm is in the log") {
                            cluster.logs.contains("descriptors are in use, and at the limit")
                        }
                        let figures = try await Self.figures(cluster, node)
                        #expect(figures.max == UInt64(limit))
                        #expect(figures.open * 10 >= figures.max * 8, "\(figures)")
                        // A client that is connected goes on, and no other can connect. A new
                        // connection may be answered before the guard gets to cut it.
                        #expect(try await cluster.client.get(.named("k")) != nil)
                        try await eventually("a new client is refused") {
                            try await Self.isServed(place, within: .seconds(1)) == false
                        }
                    }
                    let start = ContinuousClock.now
                    #expect(try await Self.isServed(place, within: .seconds(5)))
                    #expect(ContinuousClock.now - start < .seconds(5))
                    #expect(try await cluster.client.get(.named("k")) != nil)
                    try await eventually("the all-clear is in the log") {
                        cluster.logs.contains("there is room again")
                    }
                }
            }

            /// The descriptor of a connection that waits to be accepted wakes a server again and
            /// again, if it lets it.
            @Test func aGatewayWithoutDescriptorsWaitsAndSaysSo() async throws {
                var plan = ClusterPlan()
                plan.nodeCount = 1
                try await withCluster(plan) { cluster in
                    let endpoint = try #require(cluster.ready.publisher.endpoint)
                    var hasWaited = false
                    // Once a second libdispatch opens a file if work waits for its threads, and
                    // ends the process if it cannot (decision 96): on a busy machine, mostly.
                    for _ in 0..<5 where !hasWaited {
                        let gateway = try await Gateway.start(endpoint, ["--http", "0"])
                        defer { gateway.clear() }
                        try await gateway.settle([])
                        hasWaited = try await Self.waitsWithoutDescriptors(gateway)
                        if hasWaited { try await gateway.stop() }
                    }
                    #expect(hasWaited)
                }
            }

            /// - Returns: `false` if the gateway was ended meanwhile by libdispatch.
            private static func waitsWithoutDescriptors(_ gateway: Gateway) async throws -> Bool {
                let processID = gateway.program.processID
                let health = try GatewayHealthTests.health(of: gateway.program)
                // A limit is about numbers: none may be free below it.
                let used = try FileManager.default
                    .contentsOfDirectory(atPath: "/proc/\(processID)/fd").compactMap { Int($0) }
                let open = (0...used.count).first { !used.contains($0) } ?? used.count
                try limit(processID, to: open, isSoft: true)
                var sockets: [TCPSocket] = []
                defer { sockets.forEach { $0.close() } }
                for _ in 0..<10 { sockets.append(try TCPSocket.connected(to: gateway.port)) }
                try await eventually("it says that it accepts no connection") {
                    gateway.program.errors.contains("connections cannot be accepted and wait")
                        || !gateway.program.isRunning
                }
                do {
                    try await expectCalm(processID)
                    let lines = gateway.program.errors.split(separator: "\n")
                    #expect(lines.count { $0.contains("cannot be accepted") } == 1)
                    // Once there is room, it goes on.
                    try limit(processID, to: open + 200, isSoft: true)
                    let answer = try await gateway.curl("/v1/default/nothing")
                    #expect(answer.status == 404, "\(answer)")
                    let page = try await CurlAnswer.of([health + "/metrics"])
                    let refused = page.text.split(separator: "\n")
                        .first { $0.hasPrefix("martlet_gateway_connections_refused_total ") }
                    #expect(refused?.hasSuffix(" 0") == false, "\(page.text)")
                    return true
                } catch  where !gateway.program.isRunning {
                    #expect(try await gateway.program.ended() == 128 + SIGILL)
                    return false
                }
            }

            /// The same of a node's port for metrics.
            @Test func aMetricsPortWithoutDescriptorsWaitsAndSaysSo() async throws {
                var plan = ClusterPlan()
                plan.nodeCount = 1
                try await withCluster(plan) { cluster in
                    let node = try #require(cluster.view.nodes.first)
                    let processID = try cluster.processID(of: node)
                    let start = "metrics and health are answered on http://127.0.0.1:"
                    let log = cluster.log(of: node.name)
                    let range = try #require(log.range(of: start), "\(log)")
                    let port = try #require(
                        UInt16(log[range.upperBound...].prefix { $0.isNumber }))
                    // All that connect are connected.
                    try await cluster.view.settle()
                    let used = try FileManager.default
                        .contentsOfDirectory(atPath: "/proc/\(processID)/fd")
                        .compactMap { Int($0) }
                    let open = (0...used.count).first { !used.contains($0) } ?? used.count
                    try Self.limit(processID, to: open, isSoft: true)
                    var sockets: [TCPSocket] = []
                    defer { sockets.forEach { $0.close() } }
                    for _ in 0..<10 { sockets.append(try TCPSocket.connected(to: port)) }
                    try await eventually("it says that it accepts no connection") {
                        cluster.log(of: node.name).contains(
                            "connections cannot be accepted and wait")
                    }
                    try await Self.expectCalm(processID)
                    try Self.limit(processID, to: open + 200, isSoft: true)
                    let alive = try await CurlAnswer.of(["http://127.0.0.1:\(port)/livez"])
                    #expect(alive.status == 200, "\(alive)")
                }
            }

            /// Expects that no thread of the process spins.
            ///
            /// A thread that spins always runs or waits for a processor, also on a busy machine,
            /// where it is given few hundredths of a second.
            private static func expectCalm(_ processID: Int32) async throws {
                let before = try busyNanoseconds(processID)
                let start = ContinuousClock.now
                try await eventually("what it does in two seconds is seen") {
                    ContinuousClock.now - start >= .seconds(2)
                }
                let after = try busyNanoseconds(processID)
                let busiest = after.map { $1 - (before[$0] ?? 0) }.max()
                #expect(try #require(busiest) < 1_000_000_000, "of two seconds")
            }

            /// For how long each thread has run or waited for a processor.
            private static func busyNanoseconds(_ processID: Int32) throws -> [String: UInt64] {
                let folder = "/proc/\(processID)/task"
                let threads = try FileManager.default.contentsOfDirectory(atPath: folder)
                return threads.reduce(into: [:]) { times, thread in
                    // One that has ended meanwhile has no file.
                    let text = try? String(
                        contentsOfFile: "\(folder)/\(thread)/schedstat", encoding: .utf8)
                    times[thread] = text?.split(separator: " ").prefix(2)
                        .compactMap { UInt64($0) }.reduce(0, +)
                }
            }

            /// A list is read by its path, which takes a descriptor.
            @Test func aKeyIsRevokedThoughConnectionsTakeAllDescriptorsTheyCan() async throws {
                var plan = ClusterPlan()
                plan.nodeCount = 1
                plan.isSecure = true
                try await withCluster(plan) { cluster in
                    let door = try SecureDoor(cluster)
                    let node = try #require(cluster.view.nodes.first)
                    let place = try #require(cluster.ready.nodes.first?.endpoints?.first)
                    let client = try door.client("app")
                    _ = try await client.set(.named("k"), to: [1])
                    let open = Int(try await Self.figures(cluster, node).open)
                    try Self.limit(cluster.processID(of: node), to: open + 40)
                    let keys = try String(contentsOfFile: door.key("admin"), encoding: .utf8)
                    let context = try Context(keys: CurveKeyPair(text: keys))
                    try await Self.crowd(context, at: place, count: 120) {
                        try await eventually("connections are cut") {
                            cluster.logs.contains("connections: closed at once")
                        }
                        try door.remove("app")
                        try await eventually("the key is refused") {
                            do throws(CacheError) {
                                _ = try await client.get(.named("k"))
                                return false
                            } catch {
                                return error.code == .unauthorised
                            }
                        }
                    }
                    await client.close()
                }
            }

            /// A new socket takes more descriptors than the list of keys, and binding it more than
            /// opening it. The publisher ended.
            @Test func aPublisherReopensItsLiveChannelOnceThereAreDescriptors() async throws {
                var plan = ClusterPlan()
                plan.nodeCount = 1
                plan.isSecure = true
                try await withCluster(plan) { cluster in
                    let publisher = cluster.ready.publisher.pid
                    // All that connect are connected.
                    try await cluster.view.settle()
                    _ = try await cluster.client.invalidate([Scope(.everything)])
                    let used = try Set(
                        FileManager.default.contentsOfDirectory(
                            atPath: "/proc/\(publisher)/fd"
                        ).compactMap { Int($0) })
                    // Below the limit one is free: enough to open a socket, not to bind it.
                    let free = (0...).lazy.filter { !used.contains($0) }.prefix(2)
                    try Self.limit(publisher, to: try #require(Array(free).last), isSoft: true)
                    try SecureDoor(cluster).remove("app")
                    try await eventually("the live channel waits for descriptors") {
                        cluster.log(of: "publisher").contains("cannot be bound again")
                            || !ProcessTable.isAlive(publisher)
                    }
                    #expect(ProcessTable.isAlive(publisher), "\(cluster.logs)")
                    try Self.limit(publisher, to: used.count + 200, isSoft: true)
                    try await eventually("the live channel is there again") {
                        cluster.log(of: "publisher").contains("the live channel is bound again")
                    }
                    try await cluster.view.settle()
                    let receipt = try await cluster.client.invalidate([Scope(.everything)])
                    #expect(receipt.isComplete)
                }
            }

            /// Holds so many idle connections while a story is told.
            private static func crowd(
                _ context: Context, at place: String, count: Int, _ story: () async throws -> Void
            ) async throws {
                let endpoint = try Endpoint(place)
                let (begun, ending) = (Promise<Void>(), Promise<Void>())
                // Sockets stay on the thread that made them.
                let thread = try OwnedThread(name: "crowd") {
                    do {
                        try hold(context, endpoint, count) {
                            begun.fulfil(())
                            ending.wait()
                        }
                    } catch {
                        Issue.record("\(error)")
                        begun.fulfil(())
                    }
                }
                begun.wait()
                defer {
                    ending.fulfil(())
                    thread.join()
                }
                try await story()
            }

            private static func hold(
                _ context: Context, _ place: Endpoint, _ count: Int, _ body: () -> Void
            ) throws {
                guard count > 0 else { return body() }
                let socket = try Socket(context, .dealer)
                try socket.connect(place)
                try hold(context, place, count - 1, body)
                // Open until here.
                _ = socket.kind
            }

            /// Whether somebody who comes now is answered in time.
            private static func isServed(
                _ place: String, within patience: Duration
            ) async throws -> Bool {
                var configuration = CacheClientConfiguration(endpoints: [place])
                configuration.timeout = patience
                let client = try CacheClient(configuration)
                var isServed = true
                do throws(CacheError) {
                    _ = try await client.get(.named("k"))
                } catch {
                    isServed = false
                }
                await client.close()
                return isServed
            }
        }
    }
#endif
