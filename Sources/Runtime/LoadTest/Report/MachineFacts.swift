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
