import CacheConfiguration
import CacheWorkload
import Foundation
import Testing
import TestSupport

/// docs/load-testing.md is held against the program.
@Suite struct LoadTestingPageTests {
    private static func page() throws -> String { try Repository.text(of: "docs/load-testing.md") }

    /// What stands between ```yaml and ``` in `page`, in order.
    private static func examples(_ page: String) -> [String] {
        page.components(separatedBy: "```yaml\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
    }

    @Test func everyExampleIsTaken() throws {
        let examples = Self.examples(try Self.page())
        #expect(!examples.isEmpty)
        for example in examples {
            #expect(throws: Never.self) { try WorkloadFile().parse(example, fileName: "f") }
        }
    }

    @Test func everySettingAndItsDefaultIsExplained() throws {
        let page = try Self.page()
        for setting in WorkloadSetting.allCases where ![.phases, .seed].contains(setting) {
            #expect(page.contains("\n| `\(setting.rawValue)` |"), "\(setting.rawValue)")
        }
        let phase = WorkloadPhase(name: "a")
        let defaults: [(WorkloadSetting, String)] = [
            (.connections, "\(phase.connectionCount)"), (.inFlight, "\(phase.inFlightMax)"),
            (.batch, "\(phase.batch)"), (.keys, "\(phase.keyCount)"),
            (.mix, "`\(OperationMixText.format(phase.mix))`"),
            (.distribution, "`\(KeyDistributionText.format(phase.distribution))`"),
            (.keySize, "`\(SizeDistributionText.format(phase.keySize))`"),
            (.valueSize, "`\(SizeDistributionText.format(phase.valueSize))`"),
        ]
        for (setting, text) in defaults {
            let row = page.split(separator: "\n").first {
                $0.hasPrefix("| `\(setting.rawValue)` |")
            }
            let columns = row?.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(columns?[2] == text, "\(setting.rawValue)")
        }
    }

    @Test func everyOperationAndEveryWorkloadOfYCSBIsExplained() throws {
        let page = try Self.page()
        for kind in OperationKind.allCases {
            #expect(page.contains("\n| `\(kind.rawValue)` |"), "\(kind.rawValue)")
        }
        for workload in YCSBWorkload.allCases {
            let mix = OperationMixText.format(workload.mix)
            let distribution = KeyDistributionText.format(workload.distribution)
            #expect(
                page.contains("\n| `\(workload.rawValue)` | `\(mix)` | `\(distribution)` |"),
                "\(workload.rawValue)")
        }
    }

    @Test func theRefusalThatIsShownIsWhatTheProgramSays() throws {
        let wrong = """
            defaults:
              key: 5
            phases:
              - name: a
                distribution: zipff
            """
        do throws(ConfigurationErrors) {
            _ = try WorkloadFile().parse(wrong, fileName: "phases.yaml")
            Issue.record("a wrong file was taken")
        } catch {
            let page = try Self.page()
            #expect(page.contains(error.problems.map { "    \($0.description)\n" }.joined()))
        }
    }
}
