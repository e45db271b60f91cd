import Foundation
import PackagePlugin

/// Writes a class of Swift tests for each file of Tests/CTests and of Programs/Cases, and one for all scenarios of Programs/Conformance, with a method
/// for each case: for `TEST(L7_stop_ends_a_run, "…")` in RunTests.c, `CTests_Run.testL7_stop_ends_a_run`, for `## L2_…` in Runs.txt,
/// `CTests_Runs.testL2_…`, and for `SCENARIO(modes, …)`, `CTests_Scenarios.testscenario_modes`. XCTest, `swift test --filter` and editors know a test by
/// a method in Swift. Tests/SwiftTests/CTest.swift says what such a method does.
@main struct CTestNames: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
        let files = try [("Tests/CTests", "Tests.c"), ("Programs/Cases", ".txt"), ("Programs/Conformance/Scenarios", ".c")].flatMap { path, ending in
            let folder = context.package.directoryURL.appending(path: path)
            return try FileManager.default.contentsOfDirectory(atPath: folder.path()).filter { $0.hasSuffix(ending) || $0 == "Programs.c" }.sorted().map { folder.appending(path: $0) }
        }
        let output = context.pluginWorkDirectoryURL.appending(path: "CTestNames.swift")
        return [
            .buildCommand(
                displayName: "The names of the C tests", executable: URL(filePath: "/bin/sh"),
                arguments: ["-c", Self.script, "sh", output.path()] + files.map { $0.path() }, inputFiles: files, outputFiles: [output]),
        ]
    }

    /// Does not touch the output if it stays the same, so that after a change of a case's body no Swift is compiled again.
    private static let script = """
        output=$1
        shift
        awk '
            FNR == 1 {
                file = class = FILENAME
                sub(/.*[/]/, "", file)
                sub(/[/][^/]*[.]c$/, "", class)
                if (class !~ /[/]Scenarios$/) class = file
                sub(/.*[/]|(Tests)?[.]c$|[.]txt$/, "", class)
                if (class != last) printf "%s\\nfinal class CTests_%s: CTest {\\n", (NR > 1 ? "}\\n" : ""), class
                last = class
            }
            /^TEST[(]|^SCENARIO[(]|^## / {
                name = $0
                sub(/^SCENARIO[(]/, "scenario_", name)
                sub(/^TEST[(]|^## /, "", name)
                sub(/,.*/, "", name)
                printf "    func test%s() throws { try run(\\"%s\\", in: \\"%s\\") }\\n", name, name, file
            }
            END { print "}" }' "$@" >"$output.new"
        cmp -s "$output.new" "$output" || cp "$output.new" "$output"
        """
}
