import CacheConfiguration
import CacheModel
import CommandSurface
import Dispatch
import EssentialFoundation
import LibC
import MartletClient
import ServiceLifecycle
import Synchronization
import Threading

/// The running cluster of `up`: starts the children, says where they are, watches them, and stops
/// them in order.
final class UpCluster: Service {
    private enum Event: Sendable {
        case ended(ChildEnd)
        case respawn(String)
        case asked
    }

    /// How long children are waited for before they are killed.
    private static let stopPatience = Duration.seconds(5)
    private static let startPatience = Duration.seconds(30)

    private let plan: UpPlan
    private let children = Guarded<[String: ChildProcess]>([:])
    private let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    init(_ plan: UpPlan) {
        self.plan = plan
        (events, continuation) = AsyncStream<Event>.makeStream()
    }

    func run() async throws {
        do {
            try startAll()
            try await withGracefulShutdownHandler {
                try await watch()
            } onGracefulShutdown: { [continuation] in
                continuation.yield(.asked)
            }
            await stopAll()
        } catch {
            await stopAll()
            throw error
        }
    }

    private func startAll() throws {
        for child in plan.children { try start(child.name) }
    }

    private func child(named name: String) -> UpChild? {
        plan.children.first { $0.name == name }
    }

    private func start(_ name: String) throws {
        guard let part = try child(named: name).map(plan.part) else { return }
        let log = ChildLog(
            file: plan.directory.appendingPathComponent("\(name).log"),
            followsLinks: plan.keys == nil)
        let child = try CommandFailure.wrapping({
            "\(name) cannot be started with its output in \(log.file.path): "
                + SystemReason.text($0)
        }) {
            try ChildProcess(
                name: name, part, variables: plan.environment.merging(plan.logVariables) { $1 },
                log: log
            ) { [continuation] in continuation.yield(.ended($0)) }
        }
        children.withLock { $0[name] = child }
    }

    /// Waits until every node is live, announces the cluster, and then watches until asked to
    /// stop.
    private func watch() async throws {
        let readiness = Task { try await announceWhenReady() }
        defer { readiness.cancel() }
        let starting = Task {
            // A cluster that cannot start says so instead of waiting.
            if case .failure(let error) = await readiness.result, !(error is CancellationError) {
                startFailure.withLock { $0 = error }
                continuation.yield(.asked)
            }
        }
        defer { starting.cancel() }
        for await event in events {
            switch event {
            case .asked:
                if let error = startFailure.withLock({ $0 }) { throw error }
                return
            case .ended(let end): try await childEnded(end)
            case .respawn(let name):
                try start(name)
                UpScreen.say("\(name) started again")
            }
        }
    }

    private let startFailure = Guarded<(any Error)?>(nil)
    private let isReady = Atomic<Bool>(false)

    private func childEnded(_ end: ChildEnd) async throws {
        let child = children.withLock { $0[end.name] }
        guard isReady.load(ordering: .sequentiallyConsistent) else {
            // What etcd ends with means something else than what a role ends with.
            var status = end.status
            if case .member? = self.child(named: end.name) { status = .unusableConfiguration }
            throw CommandFailure(
                status,
                "\(end.name) did not start: \(child?.complaint ?? end.sentence)")
        }
        // A node that left in order was meant to: only a child that died is started again.
        if end.isInOrder, case .node? = self.child(named: end.name) {
            UpScreen.say(
                "\(end.name) (pid \(end.processID)) has left in order and stays away; to have it "
                    + "back: martlet node --id \(end.name) --config "
                    + plan.configurationFile.path)
            return
        }
        guard let delay = plan.respawnAfter else {
            UpScreen.say("\(end.sentence); the others continue (--respawn starts it again)")
            return
        }
        UpScreen.say("\(end.sentence); it is started again in \(DurationText.format(delay))")
        let continuation = continuation
        Task {
            try await Task.sleep(for: delay)
            continuation.yield(.respawn(end.name))
        }
    }

    private func announceWhenReady() async throws {
        let endpoints = plan.configuration.publisherAddresses.map(\.control)
        var configuration = CacheClientConfiguration(endpoints: endpoints)
        configuration.keys = plan.keys?.admin
        let client = try CacheClient(configuration)
        let deadline = ContinuousClock.now + Self.startPatience
        while ContinuousClock.now < deadline {
            try Task.checkCancellation()
            if let topology = await liveTopology(client), plan.gateway?.isListening ?? true {
                await client.close()
                try announce(topology)
                return
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        await client.close()
        throw CommandFailure(
            .unreachable,
            "the cluster is not live after \(DurationText.format(Self.startPatience)); the last "
                + "lines of its logs:\(lastLines)")
    }

    /// What each child said last, a line each. A temporary directory is removed with the logs.
    private var lastLines: String {
        children.withLock { $0 }.sorted { $0.key < $1.key }
            .map { "\n  \($0.key): \($0.value.complaint ?? "nothing")" }.joined()
    }

    private func liveTopology(_ client: CacheClient) async -> ClusterTopology? {
        do {
            let topology = try await client.cluster.topology(isRefreshed: true)
            // Nodes that joined before may have gone since.
            let listed = Set(plan.configuration.nodes.map(\.id))
            let areLive = topology.nodes.allSatisfy {
                $0.state == .live || !listed.contains($0.id)
            }
            return areLive ? topology : nil
        } catch {
            return nil
        }
    }

    private func announce(_ topology: ClusterTopology) throws {
        let running = children.withLock { $0.mapValues(\.processID) }
        let report = ReadyReport(topology, plan, processIDs: running)
        // Before the file: a script that waits for the file may then read what was printed.
        UpScreen.show(report, plan.configuration, logs: plan.directory.path, plan.keys)
        if let file = plan.readyFile {
            try CommandFailure.wrapping({
                "\(file.url.path) cannot be written: \(SystemReason.text($0))"
            }) { try report.write(to: file) }
        }
        isReady.store(true, ordering: .sequentiallyConsistent)
    }

    func passOn(_ number: Int32) {
        for child in children.withLock({ $0 }).values { child.signal(number) }
    }

    private func stopAll() async {
        let running = children.withLock { $0 }
        for stage in Set(plan.children.map(\.stage)).sorted() {
            let those = plan.children.filter { $0.stage == stage }
            let names = Set(those.map(\.name))
            await stop(
                running.filter { names.contains($0.key) }, by: those.first?.endSignal ?? SIGTERM)
        }
        cleanUp()
    }

    /// Asks children to end, and kills those that have not ended in time. One that is stopped goes
    /// on first: it could not hear that it is asked.
    private func stop(_ running: [String: ChildProcess], by number: Int32) async {
        for child in running.values {
            child.signal(number)
            child.signal(SIGCONT)
        }
        await waitUntilEnded(Array(running.values))
        for (name, child) in running where child.isRunning {
            UpScreen.say("\(name) did not end in time and is killed")
            child.signal(SIGKILL)
        }
        await waitUntilEnded(Array(running.values))
    }

    private func waitUntilEnded(_ processes: [ChildProcess]) async {
        let deadline = ContinuousClock.now + Self.stopPatience
        while processes.contains(where: \.isRunning), ContinuousClock.now < deadline {
            // Not cancellable: the children are waited for even when the group is in a hurry.
            await withCheckedContinuation { continuation in
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) {
                    continuation.resume()
                }
            }
        }
    }

    private func cleanUp() {
        if let file = plan.readyFile?.url, FileManager.default.fileExists(atPath: file.path) {
            remove(file)
        }
        if plan.isTemporary { remove(plan.directory) }
    }

    private func remove(_ place: URL) {
        do {
            try FileManager.default.removeItem(at: place)
        } catch {
            UpScreen.say("could not remove \(place.path): \(SystemReason.text(error))")
        }
    }
}
