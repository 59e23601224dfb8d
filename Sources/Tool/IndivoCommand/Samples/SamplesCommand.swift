import ArgumentParser

struct SamplesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "samples",
        abstract: "Read what phones and watches measured: as FHIR, as totals, to a server.",
        discussion: """
            A file is the export of Apple's Health app, as export.zip, the folder in it or export.xml, \
            or lines of JSON, a sample a line. Workout routes, electrocardiograms and clinical records are \
            files beside export.xml, and are read from the archive or the folder. Lines that are wrong are \
            reported with their number and skipped; the exit status is then 1.
            """,
        subcommands: [
            SamplesConvertCommand.self, SamplesSummaryCommand.self, SamplesTotalsCommand.self,
            SamplesUploadCommand.self,
        ]
    )
}
