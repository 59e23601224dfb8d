import FHIR
import Foundation
import IndivoXML

/// Reads i2b2's patient data object (PDO 1.1), one row after the other: what
/// ``WarehouseTransaction/writePDO(of:_:)`` writes, and what i2b2's cells give.
///
/// ```swift
/// for try await row in PatientDataReader(contentsOf: file) {
///     if case .observation(let observation) = row { print(observation.fact.concept) }
/// }
/// ```
/// Memory is bounded by the largest row, whatever the size of the object.
public struct PatientDataReader<Source: AsyncSequence>: AsyncSequence {
    public typealias Element = PatientDataRow

    fileprivate let elements: XMLReader<Source>

    public func makeAsyncIterator() -> Iterator { Iterator(elements: elements.makeAsyncIterator()) }

    /// Gives one row after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var elements: XMLReader<Source>.Iterator
        /// How many rows there were.
        private var count = 0

        fileprivate init(elements: XMLReader<Source>.Iterator) { self.elements = elements }

        /// The next row; nil at the end of the object.
        ///
        /// - Throws: `XMLError`, ``WarehouseError`` for a row that is not as i2b2's schema has it, with its
        ///   number, and what the source throws.
        public mutating func next() async throws -> PatientDataRow? {
            guard let element = try await elements.next(isolation: nil) else { return nil }
            count += 1
            do {
                return try PatientDataRow(element)
            } catch let problem as PatientDataProblem {
                throw WarehouseError.badInput(
                    "row \(count) of the patient data object, <\(element.name)>: \(problem.reason)"
                )
            }
        }
    }
}

extension PatientDataReader where Source == XMLFileChunks {
    /// A reader of a file.
    public init(contentsOf file: URL) {
        var options = XMLParseOptions()
        // A row at a time is in memory.
        options.limits.inputBytes = Int.max
        elements = XMLReader(
            contentsOf: file,
            elements: "event",
            "concept",
            "modifier",
            "observer",
            "pid",
            "eid",
            "patient",
            "observation",
            options: options
        )
    }
}

extension PatientDataReader where Source.Element: Sequence<UInt8> {
    /// A reader of pieces, such as the `Data` a transport delivers.
    public init(chunks: Source) {
        elements = XMLReader(
            chunks: chunks,
            elements: "event",
            "concept",
            "modifier",
            "observer",
            "pid",
            "eid",
            "patient",
            "observation"
        )
    }
}

/// What is wrong with a row.
private struct PatientDataProblem: Error {
    let reason: String
}

extension PatientDataRow {
    fileprivate init(_ element: XMLNode) throws {
        switch element.name {
        case "event":
            self = .event(
                Event(
                    id: try Self.identifier(element, "event_id"),
                    patient: try Self.identifier(element, "patient_id"),
                    start: try Self.time(element, "start_date"),
                    end: try Self.time(element, "end_date")
                )
            )
        case "concept": self = .concept(try Self.dimension(element))
        case "modifier": self = .modifier(try Self.dimension(element))
        case "observer": self = .observer(try Self.dimension(element))
        case "pid": self = .patientID(try Self.identifier(element, "patient_id"))
        case "eid": self = .eventID(try Self.identifier(element, "event_id"))
        case "patient":
            var columns: [String: String] = [:]
            for child in element.children() where child.name == "param" {
                guard let name = child.attributes["column"] else {
                    throw PatientDataProblem(reason: "a <param> without the attribute column")
                }
                columns[name] = child.text()
            }
            self = .patient(
                Patient(
                    id: try Self.identifier(element, "patient_id"),
                    columns: columns,
                    blob: Self.text(element, "patient_blob")
                )
            )
        default: self = .observation(try Self.observation(element))
        }
    }

    // MARK: Elements

    private static func child(_ element: XMLNode, _ name: String) -> XMLNode? {
        element.children().first { $0.name == name }
    }

    private static func text(_ element: XMLNode, _ name: String) -> String? { child(element, name)?.text() }

    private static func required(_ element: XMLNode, _ name: String) throws -> String {
        guard let text = text(element, name) else { throw PatientDataProblem(reason: "<\(name)> is missing") }
        return text
    }

    private static func identifier(_ element: XMLNode, _ name: String) throws -> Identifier {
        guard let child = child(element, name) else {
            throw PatientDataProblem(reason: "<\(name)> is missing")
        }
        return Identifier(id: child.text(), source: child.attributes["source"] ?? "")
    }

    private static func dimension(_ element: XMLNode) throws -> Dimension {
        let kind = element.name
        return Dimension(
            path: try required(element, "\(kind)_path"),
            code: try required(element, "\(kind)_cd"),
            name: text(element, "name_char") ?? ""
        )
    }

    private static func time(_ element: XMLNode, _ name: String) throws -> WarehouseTime? {
        guard let text = text(element, name), !text.isEmpty else { return nil }
        // A time without a zone is what the column has, in the warehouse's own.
        let isZoned = text.hasSuffix("Z") || text.dropFirst(10).contains { $0 == "+" || $0 == "-" }
        guard let time = FHIRDateTime(text: isZoned || text.count <= 10 ? text : text + "Z") else {
            throw PatientDataProblem(reason: "<\(name)> is no time")
        }
        return WarehouseTime(time)
    }

    private static func observation(_ element: XMLNode) throws -> Observation {
        guard let start = try time(element, "start_date") else {
            throw PatientDataProblem(reason: "<start_date> is missing")
        }
        var fact = Fact(try required(element, "concept_cd"), start: start, value: try value(element))
        fact.modifier = text(element, "modifier_cd").flatMap { $0.isEmpty ? nil : $0 } ?? "@"
        if let text = text(element, "instance_num") {
            guard let instance = Int(text) else {
                throw PatientDataProblem(reason: "<instance_num> is no whole number")
            }
            fact.instance = instance
        }
        let end = try time(element, "end_date")
        fact.end = end == start ? nil : end
        fact.unit = text(element, "units_cd").flatMap { $0 == "@" || $0.isEmpty ? nil : $0 }
        fact.flag = text(element, "valueflag_cd").flatMap { $0 == "@" || $0.isEmpty ? nil : $0 }
        return Observation(
            event: try identifier(element, "event_id"),
            patient: try identifier(element, "patient_id"),
            fact: fact
        )
    }

    private static func value(_ element: XMLNode) throws -> FactValue {
        let blob = text(element, "observation_blob")
        switch text(element, "valuetype_cd") ?? "@" {
        case "N":
            // What the column cannot hold is in the blob.
            let digits = try blob ?? required(element, "nval_num")
            guard let decimal = FHIRDecimal(digits), let number = WarehouseNumber(decimal) else {
                throw PatientDataProblem(reason: "<nval_num> is no number that i2b2 has")
            }
            let comparison = text(element, "tval_char").flatMap { $0.isEmpty ? nil : $0 } ?? "E"
            return .number(number, comparison: comparison)
        case "T": return .text(try blob ?? required(element, "tval_char"))
        case "B": return .longText(blob ?? text(element, "tval_char") ?? "")
        default: return .none
        }
    }
}
