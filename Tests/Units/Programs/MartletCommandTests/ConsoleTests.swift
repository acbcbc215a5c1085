import CommandSurface
import Testing

@testable import martlet

@Suite struct ConsoleTests {
    @Test func coloursNeedATerminalThatWantsThem() {
        #expect(Console.usesColour(isTerminal: true, environment: ["TERM": "xterm"]))
        #expect(Console.usesColour(isTerminal: true, environment: ["NO_COLOR": ""]))
        #expect(!Console.usesColour(isTerminal: false, environment: ["TERM": "xterm"]))
        #expect(!Console.usesColour(isTerminal: true, environment: ["NO_COLOR": "1"]))
        #expect(!Console.usesColour(isTerminal: true, environment: ["TERM": "dumb"]))
    }
}
