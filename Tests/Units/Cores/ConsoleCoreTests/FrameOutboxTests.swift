import Testing

@testable import ConsoleCore

@Suite struct FrameOutboxTests {
    private static func screen(_ text: String) -> Screen {
        var screen = Screen(ScreenSize(columns: 40, rows: 4))
        screen.put(text, row: 1, column: 0)
        return screen
    }

    @Test func aFrameThatFindsTheLastOneOnItsWayIsDropped() {
        var outbox = FrameOutbox(isColoured: true)
        outbox.offer(Self.screen("one"))
        outbox.took(3)
        outbox.offer(Self.screen("two"))
        outbox.offer(Self.screen("three"))
        #expect(outbox.droppedCount == 2)
        #expect(outbox.frameCount == 1)
        outbox.took(outbox.rest.count)
        #expect(outbox.isEmpty)
        #expect(outbox.byteCount == UInt64(outbox.frameBytes))
    }

    @Test func whatASlowTerminalShowsIsTheNewestScreenInTheEnd() {
        var outbox = FrameOutbox(isColoured: true)
        var terminal = ModelTerminal(ScreenSize(columns: 40, rows: 4))
        var sent: [UInt8] = []
        for number in 0..<300 {
            outbox.offer(Self.screen("frame \(number) of many"))
            let part = Array(outbox.rest.prefix(2))
            outbox.took(part.count)
            sent += part
            // Never more than one frame waits, however many there were.
            #expect(outbox.rest.count <= ConsoleLimits.frameBytesMax(terminal.size))
        }
        sent += outbox.rest
        outbox.took(outbox.rest.count)
        outbox.offer(Self.screen("the last"))
        sent += outbox.rest
        terminal.show(sent)
        #expect(terminal.cells == ModelTerminal.picture(Self.screen("the last")))
        #expect(outbox.droppedCount > 200)
    }

    @Test func aScreenThatWasForgottenIsSentWhole() {
        var outbox = FrameOutbox(isColoured: true)
        outbox.offer(Self.screen("one"))
        let whole = Array(outbox.rest)
        outbox.took(whole.count)
        outbox.offer(Self.screen("one"))
        #expect(outbox.isEmpty)
        outbox.forgetsScreen()
        outbox.offer(Self.screen("one"))
        #expect(Array(outbox.rest) == whole)
    }
}
