import Foundation

/// Writes an export of Apple's Health app as a phone of some years has it. The same seed gives the same file.
struct ExportGenerator {
    private var state: UInt64
    private var buffer: [UInt8] = []
    private let handle: FileHandle
    private var written = 0

    init(path: String, seed: UInt64) throws {
        state = seed
        try Data().write(to: URL(filePath: path))
        handle = try FileHandle(forWritingTo: URL(filePath: path))
    }

    private mutating func random(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }

    private mutating func put(_ text: String) throws {
        buffer += text.utf8
        if buffer.count > 1 << 20 {
            try handle.write(contentsOf: Data(buffer))
            written += buffer.count
            buffer.removeAll(keepingCapacity: true)
        }
    }

    mutating func write(megabytes: Int) throws {
        try put(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE HealthData [
            <!-- HealthKit Export Version: 14 -->
            <!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout|ActivitySummary)*)>
            ]>
            <HealthData locale="en_DE">
             <ExportDate value="2026-03-01 12:00:00 +0100"/>

            """
        )
        let device =
            """
            &lt;&lt;HKDevice: 0x2817fa3a0&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch, \
            hardware:Watch6,1, software:10.1&gt;
            """
        var second = 0
        while written < megabytes * 1_000_000 {
            second += 1 + random(300)
            let day = second / 86_400
            let time = second % 86_400
            func pad(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
            let start =
                """
                20\(pad(15 + day / 336 % 80))-\(pad(1 + day / 28 % 12))-\(pad(1 + day % 28)) \
                \(pad(time / 3600)):\(pad(time / 60 % 60)):\(pad(time % 60)) +0100
                """
            let common = "sourceVersion=\"10.1\" device=\"\(device)\""
            switch random(20) {
            case 0..<11:
                try put(
                    """
                     <Record type=\"HKQuantityTypeIdentifierHeartRate\" sourceName=\"Anna’s Apple Watch\" \
                    \(common) unit=\"count/min\" creationDate=\"\(start)\" startDate=\"\(start)\" \
                    endDate=\"\(start)\" value=\"\(50 + random(90))\">\n  <MetadataEntry \
                    key=\"HKMetadataKeyHeartRateMotionContext\" value=\"\(random(3))\"/>\n </Record>\n
                    """
                )
            case 11..<15:
                try put(
                    """
                     <Record type=\"HKQuantityTypeIdentifierActiveEnergyBurned\" sourceName=\"Anna’s Apple \
                    Watch\" \(common) unit=\"kcal\" creationDate=\"\(start)\" startDate=\"\(start)\" \
                    endDate=\"\(start)\" value=\"0.\(random(1000))\"/>\n
                    """
                )
            case 15..<18:
                try put(
                    """
                     <Record type=\"HKQuantityTypeIdentifierStepCount\" sourceName=\"iPhone\" \
                    sourceVersion=\"17.1\" unit=\"count\" creationDate=\"\(start)\" startDate=\"\(start)\" \
                    endDate=\"\(start)\" value=\"\(random(500))\"/>\n
                    """
                )
            default:
                try put(
                    """
                     <Record type=\"HKCategoryTypeIdentifierSleepAnalysis\" sourceName=\"Anna’s Apple \
                    Watch\" \(common) creationDate=\"\(start)\" startDate=\"\(start)\" endDate=\"\(start)\" \
                    value=\"HKCategoryValueSleepAnalysisAsleepCore\"/>\n
                    """
                )
            }
        }
        try put("</HealthData>\n")
        try handle.write(contentsOf: Data(buffer))
        try handle.close()
    }
}
