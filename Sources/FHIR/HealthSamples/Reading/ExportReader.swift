import FHIR
import Foundation
import IndivoBase

/// The samples of Apple's `export.xml`, one after the other.
///
/// The export has the members of correlations twice: in their correlation, and as records of their own.
/// Therefore the file is read twice, the first time for correlations alone. On the second pass, records that
/// are members of a correlation are left out, unless the correlation has a problem.
final class ExportReader {
    private let scanner: ExportScanner
    private var fields = ExportFields()
    private let file: String
    private let names: ExportCategory
    private let members: ExportMembers
    private var state = State.before
    /// A tag that was read ahead: the beginning of the next element, if an end tag is missing.
    private var pending: ExportScanner.Tag?
    /// How many elements of other kinds there were, by name.
    private(set) var otherElements: [String: Int] = [:]
    /// The export's attributes of clinical records, by the names of their files.
    private(set) var received: [String: ReceivedRecord] = [:]
    /// The files of routes that were read, each once, with what is wrong in them.
    private(set) var routeFiles: [String: SampleProblem?] = [:]
    /// The files beside the export; `nil` if there are none.
    private let files: ExportFiles?
    /// The items that follow the one returned last.
    private var waiting: [SampleItem] = []
    /// The routes of the workout that is being read.
    private var routes: [OpenRoute] = []
    /// The routes of the last workout, whose files are still to be read; the next one is last.
    private var openRoutes: [OpenRoute] = []
    /// How many locations the route files had together.
    private var placeCount = 0
    private static let maximumPlaces = 100_000_000
    private static let maximumPathLength = 4_096
    /// The zone that the export was made in, in minutes east of Greenwich.
    private var offset: Int?

    private enum State { case before, inside, after }

    /// - Parameters:
    ///   - files: The files around the export, to which it refers.
    ///   - open: Opens the file anew; it is called twice.
    init(
        file: String,
        names: ExportCategory,
        files: ExportFiles?,
        usesFastTagPath: Bool = true,
        open: () throws -> ByteSource
    ) throws {
        self.file = file
        self.names = names
        self.files = files
        let first = try open()
        members = try ExportMembers(file: file, names: names, source: first, usesFastTagPath)
        scanner = ExportScanner(try open(), usesFastTagPath: usesFastTagPath)
        onlyCorrelations = false
    }

    /// A reader that gives correlations only, for the first reading.
    init(file: String, names: ExportCategory, correlationsOf source: ByteSource, usesFastTagPath: Bool) {
        self.file = file
        self.names = names
        files = nil
        members = ExportMembers()
        scanner = ExportScanner(source, usesFastTagPath: usesFastTagPath)
        onlyCorrelations = true
    }

    private let onlyCorrelations: Bool

    /// The next sample or problem; nil at the end.
    func next() throws -> SampleItem? {
        while true {
            if !waiting.isEmpty { return waiting.removeFirst() }
            // One route file for each item that is returned.
            if let route = openRoutes.popLast() {
                if let item = try finished(route) { return item }
                continue
            }
            do {
                guard let tag = try nextTag() else { return atEnd() }
                if let item = try item(of: tag) { return item }
            } catch let error as ExportScanner.Malformed {
                return .problem(SampleProblem(file: file, line: error.line, reason: error.reason))
            }
        }
    }

    private func nextTag() throws -> ExportScanner.Tag? {
        if let tag = pending {
            pending = nil
            return tag
        }
        return try onlyCorrelations ? scanner.nextCorrelation() : scanner.next()
    }

    private func atEnd() -> SampleItem? {
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

    private func item(of tag: ExportScanner.Tag) throws -> SampleItem? {
        if tag.kind == .end {
            if tag.name == "HealthData" { state = .after }
            return nil
        }
        // After a correlation without an end, look for the next one.
        if onlyCorrelations, tag.name != "Correlation" { return nil }
        switch tag.name {
        case "HealthData":
            state = .inside
            return nil
        case "ExportDate":
            offset = (try? fields.date("value", scanner))?.offset
            return nil
        case "Me": return nil
        case "Record":
            return try sample(tag) { () throws(SampleError) in try record() }
        case "Correlation": return try sample(tag) { () throws(SampleError) in try correlation() }
        case "Workout":
            return try sample(tag) { () throws(SampleError) in try workout() }
        case "ActivitySummary":
            return try sample(tag) { () throws(SampleError) in try activitySummary() }
        case "Audiogram":
            return try sample(tag) { () throws(SampleError) in try audiogram() }
        default:
            if tag.name != "ClinicalRecord" || !keepsReceived(tag) { addOther(tag.name) }
            return tag.kind == .start ? try skipChildren(of: tag) : nil
        }
    }

    private func addOther(_ name: String) {
        if otherElements[name] != nil || otherElements.count < 100 { otherElements[name, default: 0] += 1 }
    }

    /// Keeps an element's attributes of a clinical record; false if the record's file is missing.
    private func keepsReceived(_ tag: ExportScanner.Tag) -> Bool {
        do throws(SampleError) {
            guard let path = try fields.optionalText("resourceFilePath", scanner),
                let record = files?.file(at: path, beside: file)
            else { return false }
            received[record.name] = ReceivedRecord(
                date: try fields.date("receivedDate", scanner),
                source: try fields.optionalText("sourceName", scanner)
            )
        } catch {
            waiting.append(.problem(SampleProblem(file: file, line: tag.line, reason: "\(error)")))
        }
        return true
    }

    /// A sample whose attributes `begin` reads, with its children; `nil` for one that is also in a
    /// correlation.
    private func sample(
        _ tag: ExportScanner.Tag,
        _ begin: () throws(SampleError) -> Sample
    ) throws -> SampleItem? {
        var problem: SampleError?
        var sample: Sample?
        do throws(SampleError) { sample = try begin() } catch { problem = error }
        if tag.kind == .start {
            // A missing end tag explains more than an error in the tag.
            var inside: SampleError?
            try children(of: tag, &sample, &inside)
            problem = inside ?? problem
        }
        do throws(SampleError) { try sample?.check() } catch { problem = problem ?? error }
        if !routes.isEmpty { queueRoutes(of: problem == nil ? sample : nil) }
        if let problem { return .problem(SampleProblem(file: file, line: tag.line, reason: "\(problem)")) }
        guard let sample else { return nil }
        let isEmpty: String? =
            switch sample.value {
            case .correlation(let members): members.isEmpty ? "a correlation without members" : nil
            case .audiogram(let audiogram): audiogram.points.isEmpty ? "an audiogram without points" : nil
            default: nil
            }
        if let isEmpty { return .problem(SampleProblem(file: file, line: tag.line, reason: isEmpty)) }
        return members.contains(sample) ? nil : .sample(sample, line: tag.line)
    }

    // MARK: Elements

    private func origin(_ type: String, _ value: SampleValue) throws(SampleError) -> Sample {
        Sample(
            type: type,
            start: try fields.date("startDate", scanner),
            end: try fields.date("endDate", scanner),
            value: value,
            device: try fields.device(scanner),
            source: try fields.source(scanner)
        )
    }

    private func record() throws(SampleError) -> Sample {
        let type = try fields.text("type", scanner)
        if type.hasPrefix("HKCategoryTypeIdentifier") {
            return try origin(type, .category(try fields.category(type, names, scanner)))
        }
        guard let value = try fields.optionalQuantity("value", "unit", scanner) else {
            throw .missing("value")
        }
        return try origin(type, .quantity(value))
    }

    private func correlation() throws(SampleError) -> Sample {
        try origin(try fields.text("type", scanner), .correlation([]))
    }

    private func workout() throws(SampleError) -> Sample {
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

    private func activitySummary() throws(SampleError) -> Sample {
        let name = try fields.text("dateComponents", scanner)
        var summary = ActivitySummary(day: try ActivitySummary.day(name, "dateComponents"))
        let energy: StaticString = "activeEnergyBurnedUnit"
        summary.activeEnergy = try fields.optionalQuantity("activeEnergyBurned", energy, scanner)
        summary.activeEnergyGoal = try fields.optionalQuantity("activeEnergyBurnedGoal", energy, scanner)
        summary.moveTime = try fields.optionalQuantity("appleMoveTime", in: "min", scanner)
        summary.moveTimeGoal = try fields.optionalQuantity("appleMoveTimeGoal", in: "min", scanner)
        summary.exerciseTime = try fields.optionalQuantity("appleExerciseTime", in: "min", scanner)
        summary.exerciseTimeGoal = try fields.optionalQuantity("appleExerciseTimeGoal", in: "min", scanner)
        summary.standHours = try fields.optionalQuantity("appleStandHours", in: "count", scanner)
        summary.standHoursGoal = try fields.optionalQuantity("appleStandHoursGoal", in: "count", scanner)
        guard let offset else { throw .missing("ExportDate") }
        let midnight = (summary.day.civil.days * 1440 - offset) * 60_000_000
        guard let start = FHIRDateTime(microseconds: midnight, offset: offset),
            let end = FHIRDateTime(microseconds: midnight + 86_400_000_000, offset: offset)
        else { throw .outOfRange(name) }
        return Sample(type: "HKActivitySummary", start: start, end: end, value: .activitySummary(summary))
    }

    private func audiogram() throws(SampleError) -> Sample {
        try origin("HKAudiogramSample", .audiogram(Audiogram(points: [])))
    }

    private func sensitivityPoint() throws(SampleError) -> Audiogram.Point {
        guard let frequency = try fields.optionalQuantity("frequencyValue", "frequencyUnit", scanner) else {
            throw .missing("frequencyValue")
        }
        var point = Audiogram.Point(frequency: frequency)
        if let level = try fields.optionalQuantity("leftEarValue", "leftEarUnit", scanner) {
            var ear = Audiogram.Ear(sensitivity: level)
            ear.isMasked = try fields.optionalBoolean("leftEarMasked", scanner)
            ear.lowerBound = try fields.optionalNumber("leftEarClampingRangeLowerBound", scanner)
            ear.upperBound = try fields.optionalNumber("leftEarClampingRangeUpperBound", scanner)
            point.leftEar = ear
        }
        if let level = try fields.optionalQuantity("rightEarValue", "rightEarUnit", scanner) {
            var ear = Audiogram.Ear(sensitivity: level)
            ear.isMasked = try fields.optionalBoolean("rightEarMasked", scanner)
            ear.lowerBound = try fields.optionalNumber("rightEarClampingRangeLowerBound", scanner)
            ear.upperBound = try fields.optionalNumber("rightEarClampingRangeUpperBound", scanner)
            point.rightEar = ear
        }
        return point
    }

    // MARK: Routes

    /// A route whose element is being read.
    private struct OpenRoute {
        var line: Int
        var start: FHIRDateTime?
        var end: FHIRDateTime?
        var device: SampleDevice?
        var source: SampleSource?
        var metadata: [String: MetadataValue] = [:]
        /// The file that has the places.
        var path: String?
        /// The places that older exports have in the element.
        var locations: [WorkoutRoute.Location] = []
        var problem: SampleError?
        /// The identity of the workout.
        var workout: String?
    }

    private func beginRoute(_ line: Int) throws(SampleError) {
        guard routes.count < 1000 else { throw .tooLarge("a workout has more than 1,000 routes") }
        var route = OpenRoute(line: line)
        do throws(SampleError) {
            route.start = try fields.optionalDate("startDate", scanner)
            route.end = try fields.optionalDate("endDate", scanner)
            route.device = try fields.device(scanner)
            route.source = try fields.source(scanner)
        } catch {
            route.problem = error
        }
        routes.append(route)
    }

    /// Reads an element of the last route. An error in it is the route's problem, not the workout's.
    private func routeChild(_ name: String) {
        guard var route = routes.popLast() else { return }
        do throws(SampleError) {
            switch name {
            case "MetadataEntry":
                let key = try fields.text("key", scanner)
                guard route.metadata.count < 1000 else { throw .tooLarge("more than 1,000 metadata") }
                if let text = try fields.optionalText("value", scanner) {
                    route.metadata[key] = names.metadata(key, text)
                }
            case "FileReference":
                let path = try fields.text("path", scanner)
                guard path.utf8.count <= Self.maximumPathLength else {
                    throw .tooLarge("the path has more than \(Self.maximumPathLength) bytes")
                }
                guard route.path == nil else { throw .syntax("it names two files") }
                route.path = path
            default:
                guard route.locations.count < WorkoutRoute.locationLimit else {
                    throw .tooLarge("a route has more than \(WorkoutRoute.locationLimit) places")
                }
                var place = WorkoutRoute.Location(
                    time: try fields.date("date", scanner),
                    latitude: try fields.number("latitude", scanner),
                    longitude: try fields.number("longitude", scanner)
                )
                place.altitude = try fields.optionalNumber("altitude", scanner)
                place.speed = try fields.optionalNumber("speed", scanner)
                place.course = try fields.optionalNumber("course", scanner)
                place.horizontalAccuracy = try fields.optionalNumber("horizontalAccuracy", scanner)
                place.verticalAccuracy = try fields.optionalNumber("verticalAccuracy", scanner)
                try place.check()
                route.locations.append(place)
            }
        } catch {
            route.problem = route.problem ?? error
        }
        routes.append(route)
    }

    /// Keeps the routes until their workout has been returned.
    private func queueRoutes(of workout: Sample?) {
        let identity = workout?.identity
        for index in routes.indices { routes[index].workout = identity }
        openRoutes = routes.reversed()
        routes = []
    }

    private func finished(_ route: OpenRoute) throws -> SampleItem? {
        func problem(_ reason: String) -> SampleItem {
            .problem(SampleProblem(file: file, line: route.line, reason: "the route: \(reason)"))
        }
        if let error = route.problem { return problem("\(error)") }
        var locations = route.locations
        if let path = route.path {
            guard locations.isEmpty else { return problem("it has places and names a file") }
            guard let files else {
                // The export was given without the files around it.
                addOther("WorkoutRoute")
                return nil
            }
            guard let found = files.file(at: path, beside: file) else {
                return problem("there is no file '\(path.prefix(200))'")
            }
            switch routeFiles[found.name] {
            case nil: break
            case .some(nil): return problem("the file '\(path.prefix(200))' is that of a route before it")
            case .some(let known?):
                return problem("the file '\(path.prefix(200))', line \(known.line): \(known.reason)")
            }
            guard placeCount < Self.maximumPlaces else {
                return problem("the routes before it have \(placeCount) places, and more are not read")
            }
            routeFiles.updateValue(nil, forKey: found.name)
            do { locations = try RouteFile.locations(found.open(), found.name) } catch let error
                as SampleProblem
            {
                routeFiles[found.name] = error
                return .problem(error)
            }
            placeCount += locations.count
        }
        guard let first = locations.first?.time, let last = locations.last?.time else {
            return problem("it has neither places nor a file")
        }
        let sample = Sample(
            type: "HKWorkoutRoute",
            start: route.start ?? first,
            end: route.end ?? last,
            value: .workoutRoute(WorkoutRoute(workout: route.workout, locations: locations)),
            metadata: route.metadata,
            device: route.device,
            source: route.source
        )
        do throws(SampleError) { try sample.check() } catch { return problem("\(error)") }
        return .sample(sample, line: route.line)
    }

    // MARK: Children

    /// Reads up to the element's end tag. An error in a child is the element's problem.
    private func children(
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
                if let name = error.tooLong, !Self.needed.contains(name) {
                    // Without this child, the element still has its meaning.
                    let reason = "<\(name)> in <\(parent.name)> is left out: \(error.reason)"
                    waiting.append(.problem(SampleProblem(file: file, line: error.line, reason: reason)))
                } else {
                    problem = problem ?? .syntax("line \(error.line): \(error.reason)")
                }
                continue
            }
            guard let tag else {
                let lost = records > 0 ? "; \(records) records in it are skipped" : ""
                problem = problem ?? .syntax("the file ends within <\(parent.name)>\(lost)")
                return
            }
            if tag.kind == .end {
                // The end of the element, or of the document, also ends what is open in it.
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
            do throws(SampleError) { try child(tag, of: parent.name, in: open, &sample) } catch {
                problem = problem ?? error
            }
            if tag.kind == .start { open.append(tag.name) }
        }
    }

    private func child(
        _ tag: ExportScanner.Tag,
        of parent: String,
        in open: [String],
        _ sample: inout Sample?
    ) throws(SampleError) {
        switch (tag.name, open.last) {
        case ("WorkoutRoute", nil) where parent == "Workout": try beginRoute(tag.line)
        case ("MetadataEntry", "WorkoutRoute"?), ("FileReference", "WorkoutRoute"?),
            ("Location", "WorkoutRoute"?):
            routeChild(tag.name)
        case ("SensitivityPoint", nil):
            guard case .audiogram(var audiogram)? = sample?.value else { return }
            guard audiogram.points.count < Audiogram.pointLimit else {
                throw .tooLarge("an audiogram has more than \(Audiogram.pointLimit) points")
            }
            audiogram.points.append(try sensitivityPoint())
            sample?.value = .audiogram(audiogram)
        case ("MetadataEntry", nil):
            let name = try fields.text("key", scanner)
            // FHIR has no empty strings: an empty text is ignored.
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
                // Without this, the array would be copied for each member.
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
        "Record", "Correlation", "Workout", "ActivitySummary", "ClinicalRecord", "Audiogram",
        "VisionPrescription",
    ]

    /// Child elements without which the element would mean something else.
    private static let needed: Set = [
        "Record", "SensitivityPoint", "WorkoutStatistics", "WorkoutRoute", "FileReference", "Location",
    ]

    private func skipChildren(of parent: ExportScanner.Tag) throws -> SampleItem? {
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
