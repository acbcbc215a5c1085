#if os(Linux)
    import CacheModel
    import Foundation
    import Testing

    @testable import Threading

    /// With the allocator of this process. A sanitizer brings one of its own, of which nothing is
    /// given back.
    @Suite(.serialized, .enabled(if: !AllocatorUnderTest.isSanitized))
    struct FreedMemoryWatchTests {
        /// A machine that does much else may take long for a look, and then there is a pause.
        private static let patience = DispatchTimeInterval.seconds(300)

        @Test func whatWasFreedInPiecesIsGivenBackAndTold() throws {
            let given = Guarded(0)
            let isMuch = DispatchSemaphore(value: 0)
            let piece = 40 << 10
            // On their own thread, whose area of the allocator nobody else uses.
            let holder = try OwnedThread(name: "holds") {
                Self.fragments(piece: piece, of: 96 << 20)
            }
            let kept = holder.join()
            defer { for address in kept { free(UnsafeMutableRawPointer(bitPattern: address)) } }
            let before = try #require(ResidentMemory.bytes)
            let watch = try #require(
                try FreedMemoryWatch.start(every: .milliseconds(1)) { told in
                    let sum = given.withLock {
                        $0 += told.bytes
                        return $0
                    }
                    if sum >= 64 << 20 { isMuch.signal() }
                })
            #expect(isMuch.wait(timeout: .now() + Self.patience) == .success)
            watch.stop()
            watch.thread.join()
            let less = try before - #require(ResidentMemory.bytes)
            #expect(less >= 48 << 20, "it is \(less >> 20) MiB less")
        }

        @Test(.timeLimit(.minutes(1))) func itEndsWhenItIsToldTo() throws {
            let watch = try #require(try FreedMemoryWatch.start(every: .seconds(3_600)) { _ in })
            watch.stop()
            watch.stop()
            watch.thread.join()
        }

        /// Fills memory in pieces, and frees all but every sixteenth, so that none of it is at the
        /// end of anything.
        ///
        /// - Returns: where those are that are left.
        private static func fragments(piece: Int, of bytes: Int) -> [UInt] {
            let pieces = (0..<bytes / piece).compactMap { _ in malloc(piece) }
            for address in pieces { memset(address, 1, piece) }
            var kept: [UInt] = []
            for (index, address) in pieces.enumerated() {
                if index % 16 == 0 { kept.append(UInt(bitPattern: address)) } else { free(address) }
            }
            return kept
        }
    }
#endif
