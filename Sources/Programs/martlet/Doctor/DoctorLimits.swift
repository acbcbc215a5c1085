/// Every bound of `doctor`.
enum DoctorLimits {
    /// An entry of the list that ends within so many days is said.
    static let daysBeforeEnd = 30
    /// Names that one finding says; the rest are counted.
    static let namesMax = 5
    /// How long an endpoint may take for a handshake, and a cluster for an answer.
    static let patience: Duration = .seconds(2)
    /// Descriptors that a role needs beside connections: files, sockets of its own, wake-ups.
    static let descriptorsOfOwn = 64
    /// Connections that one expects to have room for, at least: fewer is worth a warning.
    static let connectionsExpected = 4_000
    /// Longest list that is read, and a little more, so that one that is too long is found.
    static let listBytesMax = (4 << 20) + 1
    /// A right clock is not before the year in which this was written.
    static let yearMin = 2026
    static let yearMax = 2100
}
