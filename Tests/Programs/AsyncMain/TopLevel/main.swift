import Shared
import SwiftRunLoop

limitRunningTime()
say("begins: \(isOnMainThread())")
if CommandLine.arguments.count > 1 {
    try await Task.sleep(nanoseconds: 1_000_000)
    struct Problem: Error {}
    throw Problem()
}
try await useMainThread()
say("ends: \(isOnMainThread())")
