import Foundation

/// How much memory the process has, as Linux tells it; 0 elsewhere.
enum Memory {
    static func current() -> Int { field("VmRSS:") }
    static func peak() -> Int { field("VmHWM:") }

    /// Lets the peak start anew from what the process has now.
    static func forgetPeak() {
        try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
    }

    private static func field(_ name: String) -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) })
        else { return 0 }
        return (line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0) * 1_024
    }
}
