import CacheModel
package import CacheLoading
import Subprocess

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// An origin that is a program, run once for each attempt: for tests and small set-ups.
///
/// What it prints is the value if it exits with 0. An exit with ``absentCode`` says that there is
/// none (404); any other code, that it cannot now (503). One that was ended by a signal, or could
/// not be started, is `unreachable`. It gets no input, what it says on standard error is dropped,
/// and the environment is this process's own. Validators are not passed on.
///
/// To a write it is run in the same way, with `MARTLET_METHOD` (`PUT` or `DELETE`) and
/// `MARTLET_IDEMPOTENCY_KEY` in its environment, and gets the value on standard input. An exit with
/// 0 takes it, one with ``refusedCode`` refuses it for good (422): what it prints is the reason.
///
/// The program leads a process group of its own. An abort, a timeout or a shutdown sends that group
/// SIGTERM, and SIGKILL 200 ms later; a value that grows past its bound does, too. No key reaches
/// a shell (`CommandTemplate`).
package final class CommandOrigin: Origin {
    /// The code of a program that says that there is no value.
    package static let absentCode: Int32 = 44

    /// The code of a program that refuses a write for good.
    package static let refusedCode: Int32 = 45

    private let closure: ClosureOrigin

    package init(_ template: CommandTemplate) {
        closure = ClosureOrigin { request in
            guard let arguments = template.arguments(for: request.key, in: request.namespace)
            else { throw AttemptFailure(.refused) }
            return try await Self.run(template.program, arguments, request)
        }
    }

    @discardableResult
    package func begin(
        _ request: OriginRequest, whenDone: @escaping @Sendable (AttemptOutcome) -> Void
    ) -> Attempt {
        closure.begin(request, whenDone: whenDone)
    }

    package func shutDown(grace: Duration, whenDone: @escaping @Sendable () -> Void) {
        closure.shutDown(grace: grace, whenDone: whenDone)
    }

    private static func run(
        _ program: String, _ arguments: [[UInt8]], _ request: OriginRequest
    ) async throws -> OriginReply {
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [
            .send(
                signal: .terminate, toProcessGroup: true,
                allowedDurationToNextStep: OriginLimits.programGrace)
        ]
        let isPath = program.utf8.first == UInt8(ascii: "/")
        do {
            let result = try await Subprocess.run(
                isPath ? .path(FilePath(program)) : .name(program),
                // Each is read as a C string, up to a NUL.
                arguments: Arguments(arguments.map { $0 + [0] }),
                environment: environment(of: request.write),
                platformOptions: options, input: .array(request.write?.value ?? []),
                output: .bytes(limit: request.valueBytesMax))
            return try reply(to: result.terminationStatus, body: result.standardOutput)
        } catch let error as SubprocessError where error.code == .outputLimitExceeded {
            throw AttemptFailure(.tooLarge)
        }
    }

    private static func environment(of write: OriginWrite?) -> Environment {
        guard let write else { return .inherit }
        return .inherit.updating([
            "MARTLET_METHOD": write.value == nil ? "DELETE" : "PUT",
            "MARTLET_IDEMPOTENCY_KEY": write.idempotencyKey,
        ])
    }

    private static func reply(
        to status: TerminationStatus, body: [UInt8]
    ) throws(AttemptFailure) -> OriginReply {
        switch status {
        case .exited(0): OriginReply(status: 200, fields: [], body: body, elapsed: .zero)
        case .exited(absentCode): OriginReply(status: 404, fields: [], body: [], elapsed: .zero)
        case .exited(refusedCode):
            OriginReply(status: 422, fields: [], body: body, elapsed: .zero)
        case .exited: OriginReply(status: 503, fields: [], body: [], elapsed: .zero)
        default: throw AttemptFailure(.unreachable)
        }
    }
}
