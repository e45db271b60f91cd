// Machine.swift: the machine on which the figures were measured. Ratios depend on it, too, because of the cost of its system calls, and its
// caches.

import CRunLoopBench
import Foundation

/// The machine in one line: its processor, how many processors the process may use, whether it is virtual, its kernel and its C library.
func machineDescription() -> String {
    func contents(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
    let lines = contents("/proc/cpuinfo").split(separator: "\n")
    func value(_ key: String) -> String? {
        lines.first { $0.hasPrefix(key) }?.split(separator: ":", maxSplits: 1).last?.trimmingPrefix { $0 == " " }.description
    }
    let count = BenchProcessorCount(), isVirtual = value("flags")?.split(separator: " ").contains("hypervisor") == true
    let kernel = contents("/proc/sys/kernel/osrelease").split(separator: "\n").first ?? "of unknown version"
    return "\(value("model name") ?? "unknown processor"), \(count) \(count == 1 ? "processor" : "processors"), "
        + "\(isVirtual ? "a virtual machine, " : "")Linux \(kernel), \(libraryVersion())"
}

/// The sides that cannot be measured, because they are not installed.
func sidesNotFound() -> [String] { Side.all.filter { !BenchIsInstalled($0) }.map(\.name) }

/// The machine, and the sides that were not found, as lines below the table.
func machineNotes() -> String {
    let missing = sidesNotFound()
    return "\nMeasured on: \(machineDescription()).\n" + (missing.isEmpty ? "" : "Not found, and not measured: \(missing.joined(separator: ", ")).\n")
}

/// "glibc 2.36"
private func libraryVersion() -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
        confstr(Int32(_CS_GNU_LIBC_VERSION), buffer.baseAddress, buffer.count) > 0 ? String(cString: buffer.baseAddress!) : "another C library"
    }
}
