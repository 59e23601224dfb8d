import FHIR
import Foundation

/// The places of a workout route, as Apple's export has them: in a file of GPX 1.1 with one track.
enum RouteFile {
    /// - Throws: ``SampleProblem`` for a file that has something wrong in it: a route is read whole or not at
    ///   all.
    static func locations(_ source: ByteSource, _ file: String) throws -> [WorkoutRoute.Location] {
        let scanner = ExportScanner(source, keepsText: true)
        var locations: [WorkoutRoute.Location] = []
        var open: OpenPoint?
        func problem(_ line: Int, _ reason: String) -> SampleProblem {
            SampleProblem(file: file, line: line, reason: reason)
        }
        do {
            let fields = ExportFields()
            var isInside = false
            // The tag before this one, where it begins an element.
            var begun: String?
            while let tag = try scanner.next() {
                do throws(SampleError) {
                    switch (tag.name, tag.kind) {
                    case ("gpx", .start): isInside = true
                    case ("gpx", .end): isInside = false
                    case ("trkpt", .start):
                        guard open == nil else { throw .syntax("</trkpt> is missing") }
                        open = OpenPoint(
                            latitude: try fields.number("lat", scanner),
                            longitude: try fields.number("lon", scanner)
                        )
                    case ("trkpt", .end):
                        guard let point = open else { throw .syntax("</trkpt> without its begin") }
                        guard locations.count < WorkoutRoute.locationLimit else {
                            throw .tooLarge("a route has more than \(WorkoutRoute.locationLimit) places")
                        }
                        locations.append(try point.location())
                        open = nil
                    case ("trkpt", .empty): throw .missing("time")
                    case (let name, .start): open?.begin(name)
                    case (let name, .end):
                        guard open?.end(name) == true else { break }
                        guard begun == name else { throw .syntax("<\(name)> has elements in it") }
                        guard let text = scanner.text else { throw .tooLarge("'\(name)' is too long") }
                        try open?.add(name, text)
                    default: break
                    }
                    begun = tag.kind == .start ? tag.name : nil
                } catch {
                    throw problem(tag.line, "\(error)")
                }
            }
            guard open == nil, !isInside else {
                throw problem(scanner.currentLine, "the file ends within it")
            }
        } catch let error as ExportScanner.Malformed {
            throw problem(error.line, error.reason)
        }
        guard !locations.isEmpty else { throw problem(1, "the route has no places") }
        return locations
    }

    /// A point whose elements are being read.
    private struct OpenPoint {
        var latitude: FHIRDecimal
        var longitude: FHIRDecimal
        var time: FHIRDateTime?
        var numbers: [String: FHIRDecimal] = [:]
        /// How many elements are open in it, and whether the outermost has extensions.
        private var depth = 0
        private var isInExtensions = false

        init(latitude: FHIRDecimal, longitude: FHIRDecimal) {
            self.latitude = latitude
            self.longitude = longitude
        }

        mutating func begin(_ name: String) {
            depth += 1
            if depth == 1 { isInExtensions = name == "extensions" }
        }

        /// - Returns: Whether the element is one of the point's values: what others put into their extensions
        ///   is not.
        mutating func end(_ name: String) -> Bool {
            defer { depth -= 1 }
            return Self.has(name) && (depth == 1 || (depth == 2 && isInExtensions && name != "time"))
        }

        private static let names: [String: WritableKeyPath<WorkoutRoute.Location, FHIRDecimal?> & Sendable] =
            [
                "ele": \.altitude, "speed": \.speed, "course": \.course, "hAcc": \.horizontalAccuracy,
                "vAcc": \.verticalAccuracy,
            ]

        /// Whether an element is one of a point's values.
        private static func has(_ name: String) -> Bool { name == "time" || names[name] != nil }

        mutating func add(_ name: String, _ bytes: [UInt8]) throws(SampleError) {
            let decoded: Result<String, SampleError> = bytes.withUnsafeBufferPointer { bytes in
                do throws(SampleError) { return .success(try ExportText.decode(bytes, name)) } catch {
                    return .failure(error)
                }
            }
            let text = try decoded.get().trimmingCharacters(in: .whitespacesAndNewlines)
            if name == "time" {
                guard let date = FHIRDateTime(text: text), date.time != nil else {
                    throw .date(name: name, text: text)
                }
                guard time == nil else { throw .syntax("a place has two '\(name)'") }
                time = date
            } else {
                guard numbers[name] == nil else { throw .syntax("a place has two '\(name)'") }
                numbers[name] = try SampleNumber.read(text, name)
            }
        }

        func location() throws(SampleError) -> WorkoutRoute.Location {
            guard let time else { throw .missing("time") }
            var place = WorkoutRoute.Location(time: time, latitude: latitude, longitude: longitude)
            for (name, path) in Self.names { place[keyPath: path] = numbers[name] }
            try place.check()
            return place
        }
    }
}
