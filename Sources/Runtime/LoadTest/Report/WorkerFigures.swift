/// One process of a load test: its part of the work, and its machine.
package struct WorkerFigures: Hashable, Sendable {
    /// Its part of the key space; `nil` if it was alone.
    package var part: Part?
    package var machine: MachineFacts
    package var threadCount: Int
    package var connectionCount: Int
    /// When its first phase began, in milliseconds since 1970 by its own wall clock.
    package var startedAt: UInt64?
    /// Only in a replicated topology, where each node answers for every key.
    package var askedNodes: AskedNodes?

    package init(machine: MachineFacts, threadCount: Int, connectionCount: Int) {
        self.machine = machine
        self.threadCount = threadCount
        self.connectionCount = connectionCount
    }

    /// How many of the nodes were asked.
    package struct AskedNodes: Hashable, Sendable {
        package let count: Int
        package let nodeCount: Int

        package init(_ count: Int, of nodeCount: Int) {
            self.count = count
            self.nodeCount = nodeCount
        }
    }

    /// The second of four: `2/4`.
    package struct Part: Hashable, Sendable, CustomStringConvertible {
        /// 1 … ``count``.
        package let number: Int
        package let count: Int

        package init(number: Int, of count: Int) {
            precondition((1...max(count, 1)).contains(number), "a part is one of all parts")
            self.number = number
            self.count = count
        }

        package var description: String { "\(number)/\(count)" }
    }
}

/// Facts about the machine of the generator. Unknown facts are `nil`.
package struct MachineFacts: Hashable, Sendable {
    package var hostName: String?
    /// Operating system and its version, `Debian 12, Linux 6.1`.
    package var system: String?
    /// Model of the processor.
    package var processor: String?
    /// Processors this process may use.
    package var processorCount: Int?
    package var memoryBytes: UInt64?
    /// How this Martlet was built: `release` or `debug`.
    package var build: String?

    package init() {}
}
