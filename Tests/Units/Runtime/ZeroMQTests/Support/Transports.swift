import Foundation
import Testing
import TestSupport
import ZeroMQ

/// One way to reach a socket, with a fresh place to listen at.
enum TransportCase: String, CaseIterable, CustomTestStringConvertible {
    case inproc, ipc, tcp

    var testDescription: String { rawValue }

    func withEndpoint<Result>(_ body: (Endpoint) throws -> Result) throws -> Result {
        switch self {
        case .inproc: return try body(try Endpoint("inproc://\(UUID().uuidString)"))
        case .tcp: return try body(try Endpoint("tcp://127.0.0.1:0"))
        case .ipc:
            let directory = try TemporaryDirectory("zmq")
            defer { directory.remove() }
            return try body(try Endpoint("ipc://\(directory.path)/socket"))
        }
    }
}
