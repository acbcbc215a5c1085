import CommandSurface
import Testing

@testable import martlet

@Suite struct DoctorReportTests {
    private static let mixed = DoctorReport(findings: [
        .ok("libzmq", "4.3.4, with CURVE"),
        .hint("allow-list", "admin without a date: ops"),
        .warning("clock", "not synchronised", remedy: "run chrony"),
        .wrong("key", "n1.key holds no key", remedy: "make a new one with martlet keygen"),
    ])

    @Test func aTerminalThatCanShowsSigns() {
        let output = Self.mixed.output(.plain, hasSymbols: true)
        #expect(
            output.text == """
                ✓  libzmq      4.3.4, with CURVE
                ·  allow-list  admin without a date: ops
                !  clock       not synchronised; run chrony
                ✗  key         n1.key holds no key; make a new one with martlet keygen
                1 wrong, 1 warning

                """)
        #expect(output.status == .unusableConfiguration)
    }

    @Test func elsewhereThereAreWords() {
        #expect(
            Self.mixed.output(.plain, hasSymbols: false).text == """
                ok       libzmq      4.3.4, with CURVE
                hint     allow-list  admin without a date: ops
                warning  clock       not synchronised; run chrony
                wrong    key         n1.key holds no key; make a new one with martlet keygen
                1 wrong, 1 warning

                """)
    }

    @Test func theJSONSaysTheSame() {
        #expect(
            Self.mixed.output(.json, hasSymbols: false).text == """
                {"wrong":1,"warnings":1,"findings":[\
                {"check":"libzmq","verdict":"ok","what":"4.3.4, with CURVE","remedy":null},\
                {"check":"allow-list","verdict":"hint","what":"admin without a date: ops",\
                "remedy":null},\
                {"check":"clock","verdict":"warning","what":"not synchronised",\
                "remedy":"run chrony"},\
                {"check":"key","verdict":"wrong","what":"n1.key holds no key",\
                "remedy":"make a new one with martlet keygen"}]}

                """)
    }

    @Test func warningsAreNoFaultAndNothingIsSaidSo() {
        let warned = DoctorReport(findings: [.warning("clock", "late", remedy: "set it")])
        #expect(warned.output(.plain, hasSymbols: false).status == .done)
        let well = DoctorReport(findings: [.ok("clock", "right")]).output(.plain, hasSymbols: true)
        #expect(well.text == "✓  clock  right\nnothing is wrong\n")
        #expect(well.status == .done)
    }

    @Test func keysAreShortenedAndNothingSteersATerminal() {
        let digits = String(repeating: "ab", count: 32)
        let output = DoctorReport(findings: [
            .ok("cluster", "tcp://h:1?key=\(digits) admits this key"),
            .ok("log", "/a\u{1B}[31m"),
        ]).output(.plain, hasSymbols: false)
        #expect(output.text.contains("?key=abababab… admits"), "\(output.text)")
        #expect(!output.text.contains("\u{1B}"))
    }

    @Test(arguments: [
        (["LANG": "en_GB.UTF-8"], true), (["LANG": "C.utf8"], true), (["LANG": "C"], false),
        (["LANG": "de_DE.UTF-8", "LC_ALL": "POSIX"], false), ([:], false),
        (["LC_ALL": "", "LC_CTYPE": "C.UTF-8"], true),
    ])
    func theLocaleSaysWhetherSignsCanBeRead(environment: [String: String], canBe: Bool) {
        #expect(DoctorCommand.hasSymbols(locale: environment) == canBe)
    }

    @Test func theFlagsAreTaken() throws {
        let command: DoctorCommand = try Sample.command(
            "doctor --config c --key k --allow-list l --dir d --json")
        #expect(command.config == "c" && command.key == "k" && command.allowList == "l")
        #expect(command.dir == "d" && command.json && command.cluster == nil)
    }
}
