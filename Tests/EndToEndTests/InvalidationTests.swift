import CacheModel
import MartletClient
import Testing

extension EndToEndTests {
    @Suite(.serialized) struct InvalidationTests {
        @Test(arguments: ClusterPlan.Topology.all)
        func everyKindOfScopeMissesOnEveryNodeAndSparesTheRest(
            topology: ClusterPlan.Topology
        ) async throws {
            try await withCluster(ClusterPlan(topology)) { cluster in
                let view = cluster.view
                let other = Namespace.named("other")
                let entries = SampleEntry.many(1_000)
                let strangers = SampleEntry.many(100)
                try await view.fill(entries)
                try await view.fill(strangers, in: other)
                await view.expect(only: entries, of: entries)
                #expect(view.nodes.count == 3)

                try await view.invalidate(.tag(.named("tag-3"), in: .default))
                var left = entries.filter { $0.tags != ["tag-3"] }
                #expect(left.count == 900)
                await view.expect(only: left, of: entries)

                try await view.invalidate(.key(.named("group-4/404"), in: .default))
                left.removeAll { $0.key == "group-4/404" }
                await view.expect(only: left, of: entries)

                try await view.invalidate(.prefix(Array("group-7/".utf8), in: .default))
                left.removeAll { $0.key.hasPrefix("group-7/") }
                await view.expect(only: left, of: entries)

                try await view.invalidate(.namespace(other))
                await view.expect(only: left, of: entries)
                await view.expect(only: [], of: strangers, in: other)
                try await view.fill(strangers, in: other)

                try await view.invalidate(.everything)
                await view.expect(only: [], of: entries)
                await view.expect(only: [], of: strangers, in: other)

                try await view.fill(entries)
                await view.expect(only: entries, of: entries)
                try await view.settle()
            }
        }

        /// Scenario 1 and 2: the tags of a load are known only at its end.
        @Test(arguments: ClusterPlan.Topology.all)
        func aLoadThatAnInvalidationOvertakesIsReturnedAndNotStored(
            topology: ClusterPlan.Topology
        ) async throws {
            try await withCluster(ClusterPlan(topology)) { cluster in
                let view = cluster.view
                let entry = SampleEntry(key: "page/1", tags: ["news"])
                let covering: [Scope.Target] = [
                    .key(.named("page/1"), in: .default), .tag(.named("news"), in: .default),
                    .prefix(Array("page/".utf8), in: .default), .namespace(.default),
                    .everything,
                ]
                for reader in view.readers {
                    for target in covering {
                        let value = try await load(entry, at: reader, view) {
                            try await view.invalidate(target)
                        }
                        #expect(value.bytes == entry.value)
                        #expect(
                            value.notStored?.refusal != nil, "\(target): \(value.notStored as Any)")
                        let found = await view.find([entry], at: reader)
                        #expect(found.missing == [entry.key], "\(target): \(found)")
                    }
                    let other = Scope.Target.tag(.named("weather"), in: .default)
                    let value = try await load(entry, at: reader, view) {
                        try await view.invalidate(other)
                    }
                    #expect(value.notStored == nil, "another tag refuses no load")
                    #expect(await view.find([entry], at: reader).fresh == [entry.key])
                    try await view.invalidate(.everything)
                }
            }
        }

        private func load(
            _ entry: SampleEntry, at reader: NodeID?, _ view: ClusterView,
            meanwhile: () async throws -> Void
        ) async throws -> CachedValue {
            var options = LoadOptions()
            options.read.node = reader
            // Less than a load lease: a load that was refused gives the right on at once.
            options.read.timeout = .seconds(3)
            return try await view.client.load(.named(entry.key), options: options) { context in
                #expect(context.willStore)
                try await meanwhile()
                return entry.loaded
            }
        }

        /// Scenario 3: who comes after the invalidation does not join the older load, and the
        /// older load does not undo the newer one.
        @Test func aReaderAfterTheInvalidationLoadsAnew() async throws {
            try await withCluster { cluster in
                let client = cluster.client
                let key = CacheKey.named("page/1")
                let older = try await client.load(key) { _ in
                    try await cluster.view.invalidate(.key(key, in: .default))
                    let newer = await client.load(key) { _ in LoadedValue([2]) }
                    #expect(newer.bytes == [2])
                    #expect(newer.notStored == nil)
                    return LoadedValue([1])
                }
                #expect(older.bytes == [1])
                #expect(older.notStored?.refusal != nil)
                #expect(try await client.get(key)?.bytes == [2])
            }
        }

        /// Scenario 11 and 12.
        @Test func absentKeysCanBeInvalidatedAndWritersReadTheirWrites() async throws {
            try await withCluster { cluster in
                let client = cluster.client
                for number in 0..<50 {
                    let key = CacheKey.named("key-\(number)")
                    try await cluster.view.invalidate(.key(key, in: .default))
                    #expect(try await client.get(key)?.bytes == nil)
                    _ = try await client.set(key, to: [1])
                    #expect(try await client.get(key)?.bytes == [1])
                    try await cluster.view.invalidate(.key(key, in: .default))
                    #expect(try await client.get(key)?.bytes == nil)
                }
            }
        }
    }
}
