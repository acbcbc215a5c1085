import Foundation
import Testing
import ZeroMQ

@Suite struct ZeroMQErrorTests {
    @Test func anErrorReadsAsASentenceForAnOperator() {
        let inUse = ZeroMQError(errno: EADDRINUSE, during: .binding)
        #expect(inUse.description == "cannot bind: Address already in use (error \(EADDRINUSE))")
        let old = ZeroMQError(errno: ENOTSUP, during: .checkingLibraryVersion)
        #expect(old.description.contains("older than 4.3.4"))
        // Libzmq's own numbers have words too.
        let terminated = ZeroMQError(errno: 156_384_765, during: .polling)
        #expect(terminated.isTerminated)
        #expect(terminated.description.contains("Context was terminated"))
    }

    @Test func eachQuestionIsAnsweredByItsOwnNumbers() {
        let table: [(CInt, KeyPath<ZeroMQError, Bool>)] = [
            (EADDRINUSE, \.isAddressInUse), (EACCES, \.isPermissionDenied),
            (EPERM, \.isPermissionDenied), (EADDRNOTAVAIL, \.isAddressNotAvailable),
            (ENODEV, \.isAddressNotAvailable), (EMFILE, \.isOutOfDescriptors),
            (ENFILE, \.isOutOfDescriptors), (ENOENT, \.isNotFound), (156_384_765, \.isTerminated),
        ]
        let questions = Set(table.map(\.1))
        for (code, rightQuestion) in table {
            let error = ZeroMQError(errno: code, during: .binding)
            for question in questions {
                #expect(error[keyPath: question] == (question == rightQuestion), "errno \(code)")
            }
        }
    }
}
