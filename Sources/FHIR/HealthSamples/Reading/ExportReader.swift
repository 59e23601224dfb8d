import FHIR
import Foundation
import IndivoBase

/// The samples of Apple's `export.xml`, one after the other.
///
/// The export has the members of correlations twice: in their correlation, and as records of their own.
/// Therefore the file is read twice, the first time for correlations alone. On the second pass, records that
/// are members of a correlation are left out, unless the correlation has a problem.
struct ExportReader {
    private var scanner: ExportScanner
    private var fields = ExportFields()
    private let file: String
    private let names: ExportCategory
    private let members: ExportMembers
    private var state = State.before
    /// A tag that was read too far: the begin of the next element where an end tag is missing.
    private var pending: ExportScanner.Tag?
    /// How many elements of other kinds there were, by name.
    private(set) var otherElements: [String: Int] = [:]

    private enum State { case before, inside, after }

    /// - Parameter open: Opens the file anew; it is called twice.
    init(file: String, names: ExportCategory, open: () throws -> ByteSource) throws {
        self.file = file
        self.names = names
        members = try ExportMembers(file: file, names: names, source: open())
        scanner = ExportScanner(try open())
    }

    /// A reader that gives correlations only, for the first reading.
    init(file: String, names: ExportCategory, correlationsOf source: ByteSource) {
        self.file = file
        self.names = names
        members = ExportMembers()
        scanner = ExportScanner(source)
        onlyCorrelations = true
    }

    private var onlyCorrelations = false

    /// The next sample or problem; nil at the end.
    mutating func next() throws -> SampleItem? {
        while true {
            do {
                guard let tag = try nextTag() else { return atEnd() }
                if let item = try item(of: tag) { return item }
            } catch let error as ExportScanner.Malformed {
                return .problem(SampleProblem(file: file, line: error.line, reason: error.reason))
            }
        }
    }

    private mutating func nextTag() throws -> ExportScanner.Tag? {
        if let tag = pending {
            pending = nil
            return tag
        }
        return try scanner.next()
    }

    private mutating func atEnd() -> SampleItem? {
        defer { state = .after }
        switch state {
        case .before:
            let reason = "no element HealthData: this is not an export of Health"
            return .problem(SampleProblem(file: file, line: scanner.currentLine, reason: reason))
        case .inside:
            return .problem(
                SampleProblem(
                    file: file,
                    line: scanner.currentLine,
                    reason: "the file ends before </HealthData>"
                )
            )
        case .after: return nil
        }
    }

    private mutating func item(of tag: ExportScanner.Tag) throws -> SampleItem? {
        if tag.kind == .end {
            if tag.name == "HealthData" { state = .after }
            return nil
        }
        switch tag.name {
        case "HealthData":
            state = .inside
            return nil
        case "ExportDate", "Me": return nil
        case "Record":
            if onlyCorrelations { return nil }
            return try sample(tag) { reader throws(SampleError) in try reader.record() }
        case "Correlation": return try sample(tag) { reader throws(SampleError) in try reader.correlation() }
        case "Workout":
            if onlyCorrelations { return nil }
            return try sample(tag) { reader throws(SampleError) in try reader.workout() }
        case "MetadataEntry" where onlyCorrelations: return nil
        default:
            if otherElements[tag.name] != nil || otherElements.count < 100 {
                otherElements[tag.name, default: 0] += 1
            }
            return tag.kind == .start ? try skipChildren(of: tag) : nil
        }
    }

    /// A sample whose attributes `begin` reads, with its children; nil for one that stands in a correlation
    /// too.
    private mutating func sample(
        _ tag: ExportScanner.Tag,
        _ begin: (inout ExportReader) throws(SampleError) -> Sample
    ) throws -> SampleItem? {
        var problem: SampleError?
        var sample: Sample?
        do throws(SampleError) { sample = try begin(&self) } catch { problem = error }
        if tag.kind == .start { try children(of: tag, &sample, &problem) }
        do throws(SampleError) { try sample?.check() } catch { problem = problem ?? error }
        if let problem { return .problem(SampleProblem(file: file, line: tag.line, reason: "\(problem)")) }
        guard let sample else { return nil }
        if case .correlation(let members) = sample.value, members.isEmpty {
            return .problem(
                SampleProblem(file: file, line: tag.line, reason: "a correlation without members")
            )
        }
        return members.contains(sample) ? nil : .sample(sample, line: tag.line)
    }

    // MARK: Elements

    private mutating func origin(_ type: String, _ value: SampleValue) throws(SampleError) -> Sample {
        Sample(
            type: type,
            start: try fields.date("startDate", scanner),
            end: try fields.date("endDate", scanner),
            value: value,
            device: try fields.device(scanner),
            source: try fields.source(scanner)
        )
    }

    private mutating func record() throws(SampleError) -> Sample {
        let type = try fields.text("type", scanner)
        if type.hasPrefix("HKCategoryTypeIdentifier") {
            return try origin(type, .category(try fields.category(type, names, scanner)))
        }
        guard let value = try fields.optionalQuantity("value", "unit", scanner) else {
            throw .missing("value")
        }
        return try origin(type, .quantity(value))
    }

    private mutating func correlation() throws(SampleError) -> Sample {
        try origin(try fields.text("type", scanner), .correlation([]))
    }

    private mutating func workout() throws(SampleError) -> Sample {
        let name = try fields.text("workoutActivityType", scanner)
        guard let activity = names.activity(name) else {
            throw .value(
                name,
                type: "Workout",
                hint: Spelling.hint(for: String(name.prefix(120)), among: names.activityNames)
            )
        }
        let workout = Workout(
            activity: activity,
            duration: try fields.optionalQuantity("duration", "durationUnit", scanner),
            energy: try fields.optionalQuantity("totalEnergyBurned", "totalEnergyBurnedUnit", scanner),
            distance: try fields.optionalQuantity("totalDistance", "totalDistanceUnit", scanner)
        )
        return try origin("HKWorkoutTypeIdentifier", .workout(workout))
    }

    // MARK: Children

    /// Reads up to the element's end tag. What is wrong in a child is the element's problem.
    private mutating func children(
        of parent: ExportScanner.Tag,
        _ sample: inout Sample?,
        _ problem: inout SampleError?
    ) throws {
        // Elements that are open in this one, by name.
        var open: [String] = []
        var count = 0
        var records = 0
        while true {
            let tag: ExportScanner.Tag?
            do {
                tag = try scanner.next()
            } catch let error as ExportScanner.Malformed {
                problem = problem ?? .syntax("line \(error.line): \(error.reason)")
                continue
            }
            guard let tag else {
                let lost = records > 0 ? "; \(records) records in it are skipped" : ""
                problem = problem ?? .syntax("the file ends within <\(parent.name)>\(lost)")
                return
            }
            if tag.kind == .end {
                // The ends of the element and of the document end what is open in it too.
                guard open.isEmpty || tag.name == parent.name || tag.name == "HealthData" else {
                    if open.last == tag.name { open.removeLast() }
                    continue
                }
                if let inner = open.last {
                    problem = problem ?? .syntax("</\(inner)> is missing before line \(tag.line)")
                }
                if tag.name != parent.name {
                    problem = problem ?? .syntax("</\(tag.name)> in <\(parent.name)>, line \(tag.line)")
                }
                if tag.name == "HealthData" { pending = tag }
                return
            }
            // An element that stands at the top only: the end tag is missing.
            if Self.topLevel.contains(tag.name), tag.name != "Record" || parent.name != "Correlation" {
                let lost = records > 0 ? "; \(records) records in it are skipped" : ""
                problem = problem ?? .syntax("</\(parent.name)> is missing before line \(tag.line)\(lost)")
                pending = tag
                return
            }
            if tag.name == "Record" {
                records += 1
                // Records have none in them.
                if !open.isEmpty {
                    problem = problem ?? .syntax("</\(open[0])> is missing before line \(tag.line)")
                    open = []
                }
            }
            count += 1
            guard count <= 100_000, open.count < 16 else {
                problem = problem ?? .tooLarge("<\(parent.name)> has more than 100,000 elements or 16 levels")
                if tag.kind == .start { open.append(tag.name) }
                if open.count > 1000 {
                    throw SampleProblem(
                        file: file,
                        line: tag.line,
                        reason: "more than 1,000 levels of elements"
                    )
                }
                continue
            }
            do throws(SampleError) { try child(tag, in: open, &sample) } catch { problem = problem ?? error }
            if tag.kind == .start { open.append(tag.name) }
        }
    }

    private mutating func child(_ tag: ExportScanner.Tag, in open: [String], _ sample: inout Sample?)
        throws(SampleError)
    {
        switch (tag.name, open.last) {
        case ("MetadataEntry", nil):
            let name = try fields.text("key", scanner)
            // An empty text says nothing, and FHIR has none.
            guard let text = try fields.optionalText("value", scanner) else { return }
            guard (sample?.metadata.count ?? 0) < 1000 else { throw .tooLarge("more than 1,000 metadata") }
            sample?.metadata[name] = names.metadata(name, text)
        case ("Record", nil):
            guard case .correlation(var members)? = sample?.value else { return }
            guard members.count < Sample.memberLimit else {
                throw .tooLarge("a correlation has more than \(Sample.memberLimit) members")
            }
            do throws(SampleError) {
                let member = try record()
                try member.check()
                // Without this the array would be copied for each member.
                sample?.value = .category(nil)
                members.append(member)
                sample?.value = .correlation(members)
            } catch { throw .member(members.count, error) }
        case ("MetadataEntry", "Record"?):
            guard case .correlation(var members)? = sample?.value, !members.isEmpty else { return }
            let name = try fields.text("key", scanner)
            guard let text = try fields.optionalText("value", scanner) else { return }
            sample?.value = .category(nil)
            members[members.count - 1].metadata[name] = names.metadata(name, text)
            sample?.value = .correlation(members)
        case ("WorkoutStatistics", nil):
            guard case .workout(var workout)? = sample?.value,
                let type = try fields.optionalText("type", scanner),
                let sum = try fields.optionalQuantity("sum", "unit", scanner)
            else { return }
            if type == "HKQuantityTypeIdentifierActiveEnergyBurned" { workout.energy = workout.energy ?? sum }
            if type.hasPrefix("HKQuantityTypeIdentifierDistance") {
                workout.distance = workout.distance ?? sum
            }
            sample?.value = .workout(workout)
        default: return
        }
    }

    /// Elements that stand in HealthData, and others that have samples in them. Where one begins in an
    /// element that is skipped, the end of that element is missing.
    private static let topLevel: Set = [
        "Record", "Correlation", "Workout", "ActivitySummary", "ClinicalRecord",
    ]

    private mutating func skipChildren(of parent: ExportScanner.Tag) throws -> SampleItem? {
        var depth = 1
        while depth > 0, let tag = try scanner.next() {
            let isEnd = tag.kind == .end && tag.name == "HealthData"
            if isEnd || (tag.kind != .end && Self.topLevel.contains(tag.name)) {
                pending = tag
                let reason = "</\(parent.name)> is missing before line \(tag.line)"
                return .problem(SampleProblem(file: file, line: parent.line, reason: reason))
            }
            if tag.kind == .start { depth += 1 }
            if tag.kind == .end { depth -= 1 }
        }
        return nil
    }
}
