import CacheModel
import Foundation
import MartletClient
import Testing
import TestSupport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension EndToEndTests {
    /// Values that a node has and does not vouch for, and an origin that confirms them.
    @Suite(.serialized) struct RenewalTests {
        /// What loads found out about the origin.
        private actor Origin {
            private(set) var confirmedCount = 0
            private(set) var loadedCount = 0

            func answer(_ entry: SampleEntry, _ context: LoadContext) -> LoadedValue {
                let etag = Validator("etag of \(entry.key)")
                guard context.etag == nil || context.etag != etag else {
                    confirmedCount += 1
                    return .unchanged()
                }
                loadedCount += 1
                var loaded = entry.loaded
                loaded.options.etag = etag
                return loaded
            }
        }

        private func loadAll(
            _ entries: [SampleEntry], _ origin: Origin, in namespace: Namespace = .default,
            at node: NodeID? = nil, _ view: ClusterView
        ) async throws {
            for entry in entries {
                var options = LoadOptions()
                options.read.node = node
                let value = await view.client.load(
                    .named(entry.key), in: namespace, options: options
                ) { await origin.answer(entry, $0) }
                #expect(value.bytes == entry.value, "\(entry.key)")
                #expect(value.notStored == nil, "\(value.notStored as Any)")
            }
        }

        @Test func whatASoftInvalidationCoversIsConfirmedAndFreshAgain() async throws {
            try await withCluster { cluster in
                let (view, origin) = (cluster.view, Origin())
                let entries = SampleEntry.many(40)
                try await loadAll(entries, origin, view)
                _ = try await view.client.invalidate(
                    [Scope(.everything)], wait: .all, strength: .soft)
                #expect(await view.find(entries).missing.count == 40)
                try await loadAll(entries, origin, view)
                #expect(await view.find(entries).fresh.count == 40)
                #expect(await origin.loadedCount == 40)
                #expect(await origin.confirmedCount == 40)
            }
        }

        /// Nobody knows what it missed; nearly all of it still holds.
        @Test func entriesAreRevalidatedAndNotLoadedAfterTheLogIsLost() async throws {
            var plan = ClusterPlan()
            plan.isLogKept = true
            plan.respawn = "500ms"
            try await withCluster(plan) { cluster in
                let (view, origin) = (cluster.view, Origin())
                let entries = SampleEntry.many(40)
                try await loadAll(entries, origin, view)
                let before = try await view.head()
                ProcessTable.send(SIGKILL, to: cluster.ready.publisher.pid)
                try FileManager.default.removeItem(at: cluster.directory.file("log"))
                try await eventually("the publisher is there again") {
                    cluster.up.errors.contains("publisher started again")
                }
                try await view.settle()
                #expect(try await view.head().epoch > before.epoch)
                #expect(await view.find(entries).fresh.isEmpty)
                try await loadAll(entries, origin, view)
                #expect(await view.find(entries).fresh.count == 40)
                #expect(await origin.loadedCount == 40)
                #expect(await origin.confirmedCount == 40)
            }
        }

        @Test func aSuspectNodeThatRevalidatesServesWhatTheOriginConfirms() async throws {
            var plan = ClusterPlan()
            plan.namespaces = ["  prices:", "    suspect: revalidate"]
            try await withCluster(plan) { cluster in
                let (view, origin) = (cluster.view, Origin())
                let namespace = Namespace.named("prices")
                let entries = SampleEntry.many(5)
                try await loadAll(entries, origin, in: namespace, view)
                let publisher = cluster.ready.publisher.pid
                try await ProcessTable.stop(publisher)
                defer { ProcessTable.send(SIGCONT, to: publisher) }
                try await eventually("the nodes are suspect") {
                    await view.find(entries, in: namespace).missing.count == entries.count
                }
                try await loadAll(entries, origin, in: namespace, view)
                #expect(await origin.loadedCount == 5)
                #expect(await origin.confirmedCount == 5)
                ProcessTable.send(SIGCONT, to: publisher)
                try await view.settle()
                #expect(await view.find(entries, in: namespace).fresh.count == entries.count)
            }
        }
    }
}
