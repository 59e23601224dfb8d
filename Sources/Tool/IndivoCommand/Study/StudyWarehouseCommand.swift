import ArgumentParser
import Foundation
import RecordCommands
import StudyWarehouse

struct StudyWarehouseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "warehouse",
        abstract: "Make a study's warehouse part of an i2b2.",
        subcommands: [StudyAttachCommand.self]
    )
}

struct StudyAttachCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach",
        abstract: "Show a warehouse on PostgreSQL as a project of an i2b2 on the same database.",
        discussion: """
            indivo study warehouse attach --project SLEEP --user demo --role i2b2 \\
              --store postgresql://owner@db/i2b2?options=-csearch_path%3Dsleep

            i2b2's own scripts (release 1.8, i2b2-data: Hivedata, Pmdata, Workdata) have made its tables; \
            the warehouse has a schema of its own beside them. This makes the tables in which i2b2 keeps \
            queries (qt_...), fills them, and writes the rows by which its cells find the project: \
            crc_db_lookup, ont_db_lookup, work_db_lookup, pm_project_data, pm_project_user_roles. It can be \
            done again. --print prints the statements for somebody else to execute, in the warehouse's \
            schema. The data sources are those of the application server, and connect to this database; \
            --role is the role by which they do, and gets rights on i2b2's tables alone: who somebody is, \
            and what they sent, stays with the study's. Count the tree's nodes with i2b2's runtotalnum. \
            \(ExitStatus.help)

            \(StudyPlace.help)
            """
    )

    @OptionGroup var store: StudyStoreOptions

    @Option(help: "The project's id in i2b2.")
    var project: String

    @Option(help: "The project's name; its id unless given.")
    var name: String?

    @Option(help: "A user of i2b2 who may query the project; may be repeated.")
    var user: [String] = []

    @Option(help: "The role by which i2b2's cells connect, if it is another one.")
    var role: String?

    @Option(help: "The domain of i2b2's hive.")
    var domain = "i2b2demo"

    @Option(help: "The schema of the hive's tables.")
    var hive = "i2b2hive"

    @Option(help: "The schema of project management's tables.")
    var management = "i2b2pm"

    @Option(help: "The schema of the workplace's tables.")
    var workplace = "i2b2workdata"

    @Option(help: "The data source of the CRC cell.")
    var querySource = "java:/QueryToolDemoDS"

    @Option(help: "The data source of the ontology cell.")
    var ontologySource = "java:/OntologyDemoDS"

    @Option(help: "The data source of the workplace cell.")
    var workplaceSource = "java:/WorkplaceDemoDS"

    @Option(help: "With --print: the schema of the warehouse.")
    var schema = "public"

    @Flag(help: "Print the statements, and execute none.")
    var print = false

    @OptionGroup var console: MessageOptions

    func run() async throws {
        do {
            var attached = try I2B2Project(
                project,
                name: name ?? project,
                users: user,
                hiveSchema: hive,
                managementSchema: management,
                workplaceSchema: workplace,
                role: role
            )
            attached.domain = domain
            attached.queryDataSource = querySource
            attached.ontologyDataSource = ontologySource
            attached.workplaceDataSource = workplaceSource
            if print {
                let statements = attached.statements(warehouseSchema: schema)
                try StandardStreams.write(
                    Data((["BEGIN"] + statements + ["COMMIT"]).map { $0 + ";\n" }.joined().utf8)
                )
                return
            }
            let warehouse = try await store.open(makes: false)
            let new = attached
            try await warehouse.transaction { try $0.attach(new) }
            try StandardStreams.say("attached \(project)")
        } catch let error as WarehouseError {
            throw CommandFailure("\(error)")
        }
    }
}
