import Testing

@testable import martlet

@Suite struct TraceFaultTests {
    @Test func aProblemNamesFileAndLineAndCannotSteerATerminal() {
        let problem = TraceProblem(line: 7, fault: .size("\u{1B}[2J"))
        let sentence = problem.sentence(in: "a\nb.csv")
        #expect(sentence.hasPrefix(#"a\nb.csv:7: the size ""#))
        #expect(!sentence.contains("\u{1B}"))
    }

    @Test func everyFaultSaysWhatIsWanted() {
        #expect(TraceFault.fieldCount(1).sentence == "1 field, not the three of time,key,size")
        #expect(TraceFault.key(0).sentence == "a key has 1 to 4096 bytes, not 0")
        #expect(TraceFault.time("x").sentence == "the time \"x\" is not a number")
        #expect(
            TraceFault.size("x").sentence
                == "the size \"x\" is not a whole number from 1 to 4294967295")
    }
}
