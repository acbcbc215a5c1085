import Foundation
import Testing
import TestSupport

#if os(Linux)
    import Glibc

    extension EndToEndTests {
        /// Programs in a session with a terminal, which closes.
        @Suite(.serialized) struct LostTerminalTests {
            /// A terminal, by both of its sides.
            private static func terminal() throws -> (other: CInt, own: FileHandle) {
                let other = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
                var number: CInt = 0
                // TIOCSPTLCK unlocks the terminal, and TIOCGPTN tells which number it has.
                guard other >= 0, ioctl(other, 0x4004_5431, &number) == 0,
                    ioctl(other, 0x8004_5430, &number) == 0
                else { throw GaveUp("there is no terminal: \(errno)") }
                let own = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
                guard own >= 0 else { throw GaveUp("the terminal cannot be opened: \(errno)") }
                return (other, FileHandle(fileDescriptor: own, closeOnDealloc: true))
            }

            /// Starts a program that leads a session with this terminal; what is started here ends
            /// with it.
            private static func start(
                _ arguments: [String], on terminal: FileHandle, errors: URL
            ) throws -> Process {
                signal(SIGHUP, SIG_DFL)
                try Data().write(to: errors)
                let process = Process()
                process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
                process.arguments =
                    ["setsid", "--ctty", "--wait", try Program.url().path] + arguments
                process.environment = ProcessInfo.processInfo.environment.filter {
                    !$0.key.hasPrefix("MARTLET_")
                }
                process.standardInput = terminal
                process.standardOutput = FileHandle.nullDevice
                process.standardError = try FileHandle(forWritingTo: errors)
                try process.run()
                return process
            }

            /// Starts a program, closes its terminal once it runs, and expects an orderly end.
            ///
            /// - Returns: `false` if it ended before it ran.
            private static func endsWithItsTerminal(
                _ arguments: [String], in directory: TemporaryDirectory,
                onceRunning isRunning: (_ errors: String) -> Bool
            ) async throws -> Bool {
                let (other, own) = try terminal()
                let errors = directory.file("errors")
                let process = try start(arguments, on: own, errors: errors)
                var children: [Int32] = []
                defer {
                    for child in children { ProcessTable.send(SIGKILL, to: child) }
                    if process.isRunning { process.terminate() }
                }
                let text = { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }
                do {
                    defer { close(other) }
                    try own.close()
                    try await eventually("it runs: \(text())") {
                        children = ProcessTable.children(of: process.processIdentifier)
                        return isRunning(text()) || !process.isRunning
                    }
                    guard process.isRunning else { return false }
                }
                try await eventually("it has ended: \(text())") { !process.isRunning }
                #expect(process.terminationStatus == 0, "\(text())")
                return true
            }

            @Test func aRoleEndsInOrder() async throws {
                let directory = try TemporaryDirectory()
                defer { directory.remove() }
                let flags = ["--bind", "tcp://127.0.0.1:*", "--live", "tcp://127.0.0.1:*"]
                #expect(
                    try await Self.endsWithItsTerminal(["publisher"] + flags, in: directory) {
                        $0.contains("publisher listens")
                    })
            }

            @Test func upEndsItsChildrenAndRemovesItsReadyFile() async throws {
                let directory = try TemporaryDirectory()
                defer { directory.remove() }
                let ready = directory.file("ready.json")
                for _ in 0..<10 {
                    let port = Int.random(in: 20_000..<31_900)
                    let hasRun = try await Self.endsWithItsTerminal(
                        [
                            "up", "--nodes", "1", "--port", "\(port)", "--ready-file", ready.path,
                        ], in: directory
                    ) { _ in FileManager.default.fileExists(atPath: ready.path) }
                    guard hasRun else { continue }
                    #expect(!FileManager.default.fileExists(atPath: ready.path))
                    return
                }
                throw GaveUp("ten random places for 64 ports were all in use")
            }
        }
    }
#endif
