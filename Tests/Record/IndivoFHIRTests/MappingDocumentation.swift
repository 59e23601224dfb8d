@testable import IndivoFHIR

/// The mapping as the documentation shows it: made from the same tables that exports work by.
enum MappingDocumentation {
    /// The elements that say that a document is archived, as a list.
    private static var archivedStatuses: String {
        StatusTable.archived.map { "`\($0.type).\($0.element)` \($0.from): \($0.to)" }
            .joined(separator: ", ")
    }

    /// The page, in Markdown.
    static var page: String {
        """
        # The mapping of documents

        How the documents of a record become FHIR R4.

        @Comment { Made from the tables in the code: run the tests with UPDATE_SNAPSHOTS=1 to write it anew. }

        ## Facts

        Fields are named as in SDMX; `name_*` are the parts of a coded value (title, system, identifier) or \
        of another
        compound value. Older names and the typed documents' nested XML (`<provider><name>` for \
        `provider_name`) count too.

        `indivo fhir check --best-practice` on an export warns of the rule dom-6 (a resource should have a \
        narrative) for
        contained resources. That is expected: only the resources that contain them have one.

        \(FactMapping.all.map(section).joined(separator: "\n\n"))

        ## Documents

        | of the document | in FHIR |
        |---|---|
        | id of its first version | `id` and `identifier` (system `\(Vocabulary.document.rawValue)`) of each \
        resource: a further fact has `.2`, a part such as a fill `.fill.1` behind it |
        | record's id | `Patient.id` and `Patient.identifier` (system `\(Vocabulary.record.rawValue)`) |
        | its own id, size, label, type of content | in its `Provenance` the contained DocumentReference of \
        `.entity` with role source: `.identifier`, `.content.attachment` with `.url`, `.size`, `.title`, \
        `.contentType`, and `.hash` (SHA-1, whatever the server's digest is) |
        | its address | `meta.source` |
        | createdAt, creator | `Provenance.recorded`, `.agent.who` (an account or an app, by identifier and \
        name) |
        | replaces | `Provenance.entity` with role revision, by identifier; `.activity` UPDATE, else CREATE |
        | relations to others | `Provenance.entity` with role source: a resource of the other document, the \
        relation as `.display` |
        | changes of the status of a document that is not active | a `Provenance` each: who, when, \
        `.reason`, `.activity` NULLIFY, OBSOLETE or REACTIVATE |
        | nevershare | `meta.security` R (restricted) |
        | status void | \(StatusTable.void.map { "`\($0.type).\($0.element)`" }.joined(separator: ", ")): \
        entered-in-error; `meta.tag` |
        | status archived | \
        \(archivedStatuses); \
        `meta.tag` |
        | a scan, a text, XML of other kinds, a model without a row above, demographics that are not the \
        record's | DocumentReference with the document as it is in `.content.attachment` |

        ## Code systems

        Other URIs stay as they are, an OID becomes `urn:oid:…`, and a name that is no URI
        `\(Vocabulary.base)code-system/NAME`.

        | in Indivo | in FHIR |
        |---|---|
        \(CodeSystems.known.map { "| `\($0.name)` | `\($0.uri.rawValue)` |" }.joined(separator: "\n"))

        ## Units

        `Quantity.unit` is the unit as it was written; `.code` is the same where it is UCUM, or what this \
        table has. A unit
        that is neither has no code.

        | in Indivo | in UCUM |
        |---|---|
        \(Units.common.map { "| `\($0.text)` | `\($0.code)` |" }.joined(separator: "\n"))

        ## What is lost

        - Replaced versions: only the newest version of a document is exported.
        - Of the metadata: the server's digest, the `type` (always empty in 2.0), what `latest` and \
        `replacedBy` say, and
          relations of other kinds than Indivo's five.
        - The earlier changes of the status of a document that is active now.
        - Messages, audits, carenets, and documents of apps are not part of an export.
        - Everything else that has no element is in the report, ``UnmappedField``.

        """
    }

    private static func section(_ mapping: FactMapping) -> String {
        """
        ### \(mapping.model)

        Becomes \(mapping.resources).

        | fields | elements |
        |---|---|
        \(mapping.table.map { "| `\($0.fields)` | \($0.elements) |" }.joined(separator: "\n"))
        """
    }
}
