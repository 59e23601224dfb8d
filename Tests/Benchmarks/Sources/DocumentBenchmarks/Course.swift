import IndivoModel

/// A medication with twelve fields of the types that documents have, as a data model.
final class Course: IndivoDocument {
    @Field var drug: String?
    @Field var code: String?
    @Field var system: CodeSystem?
    @Field var started: XMLDate?
    @Field var ended: XMLDate?
    @Field var ordered: XMLDateTime?
    @Field var dose: Double?
    @Field var unit: String?
    @Field var refills: Int?
    @Field var urgent: Bool?
    @Field var instructions: String?
    @Field var prescriber: String?
}

/// The same in nested XML: a child element for each field.
final class NestedCourse: IndivoDocument {
    @Field var drug: String?
    @Field var code: String?
    @Field var system: CodeSystem?
    @Field var started: XMLDate?
    @Field var ended: XMLDate?
    @Field var ordered: XMLDateTime?
    @Field var dose: Double?
    @Field var unit: String?
    @Field var refills: Int?
    @Field var urgent: Bool?
    @Field var instructions: String?
    @Field var prescriber: String?
}

/// A report of them.
final class CourseReport: IndivoDocument {
    override class var format: Format { .nested(root: "Report", namespace: nil) }

    @Field("Course") var courses: [NestedCourse]
}

/// What XMLCoder decodes of the same nested XML.
struct CodedReport: Codable {
    struct Course: Codable {
        var drug: String?
        var code: String?
        var system: String?
        var started: String?
        var ended: String?
        var ordered: String?
        var dose: Double?
        var unit: String?
        var refills: Int?
        var urgent: Bool?
        var instructions: String?
        var prescriber: String?
    }

    var Course: [Course]
}

/// What XMLCoder decodes of the same data models; telling the fields apart by their names, and their types,
/// is not counted.
struct CodedModels: Codable {
    struct Model: Codable {
        struct Field: Codable {
            var name: String
            var text: String

            enum CodingKeys: String, CodingKey {
                case name
                case text = ""
            }
        }

        var name: String
        var Field: [Field]
    }

    var Model: [Model]
}

/// The texts that are read.
enum Text {
    private static let fields = [
        ("code", "861007"), ("system", "http://purl.bioontology.org/ontology/RXNORM/"),
        ("started", "2018-09-03"),
        ("ended", "2026-05-04"), ("ordered", "2018-09-03T10:15:00Z"), ("dose", "500.25"), ("unit", "mg"),
        ("refills", "12"), ("urgent", "false"), ("instructions", "one in the morning and one in the evening"),
        ("prescriber", "Dr. Halloran"),
    ]

    static func models(_ count: Int) -> [UInt8] {
        report(count, "Models xmlns=\"http://indivo.org/vocab/xml/documents#\"", "Model name=\"Course\"") {
            "<Field name=\"\($0)\">\($1)</Field>"
        }
    }

    static func nested(_ count: Int) -> [UInt8] {
        report(count, "Report", "Course") { "<\($0)>\($1)</\($0)>" }
    }

    static let dates = (0..<1_000).map { "20\(10 + $0 % 17)-0\(1 + $0 % 9)-\(10 + $0 % 19)" }

    static func readDates() throws -> Int {
        var sum = 0
        for date in dates { sum &+= try XMLDate(lexical: date).day }
        return sum
    }

    private static func report(
        _ count: Int,
        _ root: String,
        _ item: String,
        _ field: (String, String) -> String
    ) -> [UInt8] {
        var text = "<\(root)>"
        for number in 0..<count {
            text += "<\(item)>" + field("drug", "Metformin hydrochloride 500 MG &amp; \(number)")
            for (name, value) in fields { text += field(name, value) }
            text += "</\(item.prefix { $0 != " " })>"
        }
        return Array((text + "</\(root.prefix { $0 != " " })>").utf8)
    }
}
