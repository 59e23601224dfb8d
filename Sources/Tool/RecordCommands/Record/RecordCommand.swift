import ArgumentParser
import Indivo

struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "record",
        "Show the record's label, and when it was made."
    )

    @OptionGroup var options: RecordOptions

    func run() async throws { try options.output.print(.record(try await options.open().information())) }
}

extension Listing {
    static func record(_ record: RecordInformation) -> Listing {
        Listing(
            columns: [
                "id": "record", "label": "label", "created_at": "created", "created_by": "by",
                "demographics_id": "demographics",
            ],
            rows: [
                [
                    record.id, record.label, record.created?.at?.lexical, record.created?.by,
                    record.demographics?.documentID,
                ]
            ],
            isSingle: true,
            json: { try record.json() }
        )
    }
}
