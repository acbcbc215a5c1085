import Testing

@Suite struct LexerTests {
    private func words(_ source: String) -> [String] {
        Lexer.tokens(of: source).filter { $0.kind == .word }.map(\.text)
    }

    @Test func commentsAreDropped() {
        #expect(words("a // b\n/* c /* d */ e */ f") == ["a", "f"])
    }

    @Test(arguments: [
        #"a "b" c"#, #"a "\"b" c"#, #"a "b // d" c"#, ##"a #"b " \n"# c"##,
        "a \"\"\"\n b\" \n\"\"\" c",
    ])
    func textIsOneToken(source: String) {
        #expect(words(source) == ["a", "c"])
        #expect(Lexer.tokens(of: source).count { $0.kind == .text } == 1)
    }

    @Test func codeInsideAnInterpolationIsCode() {
        #expect(words(#"a "b \(c("d)", e)) f" g"#) == ["a", "c", "e", "g"])
        #expect(words(##"a #"b \(c) \#(d)"# e"##) == ["a", "d", "e"])
    }

    @Test func linesAreCountedThroughTextAndComments() {
        let source = "/*\n*/ a\n\"\"\"\n\n\\(b)\n\"\"\"\nc"
        let lines = Lexer.tokens(of: source).filter { $0.kind == .word }.map(\.line)
        #expect(lines == [2, 5, 7])
    }

    @Test func gluedTokensAreToldFromSpacedOnes() {
        #expect(Lexer.tokens(of: "try! try !").map(\.isGlued) == [false, true, false, false])
    }
}
