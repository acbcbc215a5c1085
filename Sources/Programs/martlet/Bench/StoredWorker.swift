import LoadTest

/// One process that made load, as a report has it.
struct StoredWorker: Decodable {
    var part: Int?
    var parts: Int?
    var hostName: String?
    var system: String?
    var processor: String?
    var processorCount: Int?
    var memoryBytes: UInt64?
    var build: String?
    var threads: Int
    var connections: Int
    var startedAtMs: UInt64?
    var nodesAsked: Int?
    var nodes: Int?

    func figures() throws(StoredRun.Fault) -> WorkerFigures {
        var machine = MachineFacts()
        machine.hostName = hostName
        machine.system = system
        machine.processor = processor
        machine.processorCount = processorCount
        machine.memoryBytes = memoryBytes
        machine.build = build
        var worker = WorkerFigures(
            machine: machine, threadCount: threads, connectionCount: connections)
        worker.startedAt = try startedAtMs.map(StoredRun.count)
        if let nodesAsked, let nodes {
            guard (0...10_000).contains(nodes), (0...nodes).contains(nodesAsked) else {
                throw StoredRun.Fault(sentence: "\(nodesAsked) of \(nodes) nodes cannot be asked")
            }
            worker.askedNodes = WorkerFigures.AskedNodes(nodesAsked, of: nodes)
        }
        if let part, let parts {
            guard (1...10_000).contains(parts), (1...parts).contains(part) else {
                throw StoredRun.Fault(sentence: "\(part)/\(parts) is no part of a load test")
            }
            worker.part = WorkerFigures.Part(number: part, of: parts)
        }
        return worker
    }
}
