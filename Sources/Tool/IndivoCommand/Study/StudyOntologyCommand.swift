import ArgumentParser
import FHIR
import Foundation
import IndivoBase
import RecordCommands
import StudyDelivery
import StudyWarehouse

struct StudyOntologyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ontology",
        abstract: "Print the tree of concepts that i2b2's query tool shows for questionnaires.",
        discussion: """
            indivo study ontology mood.json > concepts.csv

            The files are FHIR Questionnaires. The tree has demographics, and the measurements that \
            are known without a questionnaire, too. csv has the columns of i2b2's metadata tables; \
            sql has the statements for study_metadata, concept_dimension, modifier_dimension, \
            table_access and schemes. \
            The exit status is 0 when every item has a concept, 1 when some have none (which and why is \
            printed), 2 for wrong use or bad input.
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable { case csv, sql }

    @Argument(help: "Questionnaires.", completion: .json)
    var files: [String]

    @Option(help: "csv or sql.")
    var format: Format = .csv

    @Option(help: "The study’s code in the warehouse.")
    var source = "STUDY"

    func run() throws {
        let ontology = Ontology(try StudyBackEnd.questionnaires(files), includesMeasurements: true)
        let now = WarehouseTime(FHIRDateTime(Date()))
        switch format {
        case .csv:
            let rows = ontology.rows(source: source, now: now).map { $0.map { $0 ?? "" } }
            try StandardStreams.write(CSV.data(header: Ontology.columns, rows: rows))
        case .sql: try StandardStreams.write(Data(ontology.sql(source: source, now: now).utf8))
        }
        for problem in ontology.problems { StandardStreams.printError(problem) }
        if !ontology.problems.isEmpty { throw ExitCode.nothingFound }
    }
}
