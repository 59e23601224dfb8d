/// The calls on a record: the 41 that are open to a user app, and a few more.
extension IndivoCall {
    /// In the order of their numbers.
    static let recordCalls = [
        record, smartAllergies, recordAppDocumentList, recordAppDocumentCreate,
        recordAppDocumentCreateOrUpdateByExternalID,
        recordAppDocumentMetaByExternalID, recordAppDocumentDelete, recordAppSpecificDocument,
        recordAppDocumentLabel,
        recordAppDocumentMeta, auditQuery, readDemographics, setDemographics, recordDocumentList,
        documentCreate,
        documentCreateByExternalID, recordDocumentLabelByExternalID, recordDocumentMetaByExternalID,
        documentRels,
        recordSpecificDocument, documentCarenets, recordDocumentLabel, recordDocumentMeta, getDocumentsByRel,
        documentCreateByRel,
        documentCreateByRelWithExternalID, documentVersion, documentVersionByExternalID, documentSetStatus,
        documentStatusHistory,
        documentVersions, recordSendMessage, recordMessageAttach, recordNotify, reportCCR, equipmentList,
        measurementList,
        procedureList, simpleClinicalNotesList, genericList, smartGeneric,
    ]

    static let record = Self(
        "record",
        .get,
        "/records/{record}",
        .element,
        "IndivoRecord.information()",
        notFoundHint:
            "This server has no such record: another one has it, or this one lost it, as a sandbox in memory "
            + "does when it ends; log in with selectRecord for a record that it has."
    )
    static let smartAllergies = Self(
        "smart_allergies",
        .get,
        "/records/{record}/allergies/",
        .graph,
        "IndivoRecord.smart(_:)"
    )

    // What the app keeps in the record for itself.
    static let recordAppDocumentList = Self(
        "record_app_document_list",
        .get,
        "/records/{record}/apps/{app}/documents/",
        query: .documents,
        .documents,
        "AppDocuments.list(_:)"
    )
    static let recordAppDocumentCreate = Self(
        "record_app_document_create",
        .post,
        "/records/{record}/apps/{app}/documents/",
        body: .document,
        .metadata,
        "AppDocuments.add(_:)"
    )
    static let recordAppDocumentCreateOrUpdateByExternalID = Self(
        "record_app_document_create_or_update_ext",
        .put,
        "/records/{record}/apps/{app}/documents/external/{external}",
        body: .document,
        .metadata,
        "AppDocuments.put(_:externalID:)",
        repeated: .freely
    )
    static let recordAppDocumentMetaByExternalID = Self(
        "record_app_document_meta_ext",
        .get,
        "/records/{record}/apps/{app}/documents/external/{external}/meta",
        .metadata,
        "AppDocuments.document(externalID:)"
    )
    static let recordAppDocumentDelete = Self(
        "record_app_document_delete",
        .delete,
        "/records/{record}/apps/{app}/documents/{document}",
        .ok,
        "AppDocuments.Document.delete()"
    )
    static let recordAppSpecificDocument = Self(
        "record_app_specific_document",
        .get,
        "/records/{record}/apps/{app}/documents/{document}",
        .content,
        "AppDocuments.Document.content()"
    )
    static let recordAppDocumentLabel = Self(
        "record_app_document_label",
        .put,
        "/records/{record}/apps/{app}/documents/{document}/label",
        body: .text,
        .documents,
        "AppDocuments.Document.setLabel(_:)"
    )
    static let recordAppDocumentMeta = Self(
        "record_app_document_meta",
        .get,
        "/records/{record}/apps/{app}/documents/{document}/meta",
        .metadata,
        "AppDocuments.Document.refreshMetadata()"
    )

    static let auditQuery = Self(
        "audit_query",
        .get,
        "/records/{record}/audits/query/",
        query: .report,
        .reports,
        "IndivoRecord.audit(matching:)"
    )
    static let readDemographics = Self(
        "read_demographics",
        .get,
        "/records/{record}/demographics",
        query: .format,
        .models,
        "IndivoRecord.demographics()",
        notFoundHint: "The record may have no demographics yet: set them with setDemographics(_:)."
    )
    static let setDemographics = Self(
        "set_demographics",
        .put,
        "/records/{record}/demographics",
        body: .xml,
        .metadata,
        "IndivoRecord.setDemographics(_:)"
    )

    // Documents.
    static let recordDocumentList = Self(
        "record_document_list",
        .get,
        "/records/{record}/documents/",
        query: .documents,
        .documents,
        "IndivoRecord.documents(_:)"
    )
    static let documentCreate = Self(
        "document_create",
        .post,
        "/records/{record}/documents/",
        body: .document,
        .metadata,
        "IndivoRecord.add(_:externalID:validation:)"
    )
    static let documentCreateByExternalID = Self(
        "document_create_by_ext_id",
        .put,
        "/records/{record}/documents/external/{app}/{external}",
        body: .document,
        .metadata,
        "IndivoRecord.add(_:externalID:validation:)",
        repeated: .afterLookingUp
    )
    static let recordDocumentLabelByExternalID = Self(
        "record_document_label_ext",
        .put,
        "/records/{record}/documents/external/{app}/{external}/label",
        body: .text,
        .documents,
        "IndivoRecord.setLabel(_:externalID:)",
        repeated: .freely
    )
    static let recordDocumentMetaByExternalID = Self(
        "record_document_meta_ext",
        .get,
        "/records/{record}/documents/external/{app}/{external}/meta",
        .metadata,
        "IndivoRecord.documentMetadata(externalID:)"
    )
    static let documentRels = Self(
        "document_rels",
        .put,
        "/records/{record}/documents/{document}/rels/{relation}/{other}",
        .ok,
        "RecordDocument.relate(to:as:)"
    )
    static let recordSpecificDocument = Self(
        "record_specific_document",
        .get,
        "/records/{record}/documents/{document}",
        .content,
        "IndivoRecord.document(_:)"
    )
    static let documentCarenets = Self(
        "document_carenets",
        .get,
        "/records/{record}/documents/{document}/carenets/",
        .element,
        "RecordDocument.carenets()"
    )
    static let recordDocumentLabel = Self(
        "record_document_label",
        .put,
        "/records/{record}/documents/{document}/label",
        body: .text,
        .documents,
        "RecordDocument.setLabel(_:)"
    )
    static let recordDocumentMeta = Self(
        "record_document_meta",
        .get,
        "/records/{record}/documents/{document}/meta",
        .metadata,
        "RecordDocument.refreshMetadata()"
    )
    static let getDocumentsByRel = Self(
        "get_documents_by_rel",
        .get,
        "/records/{record}/documents/{document}/rels/{relation}/",
        query: .status,
        .documents,
        "RecordDocument.related(as:status:)"
    )
    static let documentCreateByRel = Self(
        "document_create_by_rel",
        .post,
        "/records/{record}/documents/{document}/rels/{relation}/",
        body: .document,
        .metadata,
        "RecordDocument.addRelated(_:as:externalID:validation:)"
    )
    static let documentCreateByRelWithExternalID = Self(
        "document_create_by_rel_with_ext_id",
        .put,
        "/records/{record}/documents/{document}/rels/{relation}/external/{app}/{external}",
        body: .document,
        .metadata,
        "RecordDocument.addRelated(_:as:externalID:validation:)",
        repeated: .afterLookingUp
    )
    static let documentVersion = Self(
        "document_version",
        .post,
        "/records/{record}/documents/{document}/replace",
        body: .document,
        .metadata,
        "RecordDocument.replace(externalID:validation:)",
        notFoundHint: refusedContent
    )
    static let documentVersionByExternalID = Self(
        "document_version_by_ext_id",
        .put,
        "/records/{record}/documents/{document}/replace/external/{app}/{external}",
        body: .document,
        .metadata,
        "RecordDocument.replace(externalID:validation:)",
        repeated: .afterLookingUp,
        notFoundHint: refusedContent
    )
    static let documentSetStatus = Self(
        "document_set_status",
        .post,
        "/records/{record}/documents/{document}/set-status",
        body: .form,
        .ok,
        "RecordDocument.setStatus(_:reason:)"
    )
    static let documentStatusHistory = Self(
        "document_status_history",
        .get,
        "/records/{record}/documents/{document}/status-history",
        .element,
        "RecordDocument.statusHistory()"
    )
    static let documentVersions = Self(
        "document_versions",
        .get,
        "/records/{record}/documents/{document}/versions/",
        query: .documents,
        .documents,
        "RecordDocument.versions(status:)"
    )

    private static let refusedContent =
        "The server says 404 also when it refuses the new content: compare it with what the model allows."

    // Messages.
    static let recordSendMessage = Self(
        "record_send_message",
        .post,
        "/records/{record}/inbox/{message}",
        body: .form,
        .ok,
        "IndivoRecord.send(_:)",
        repeated: .untilRefusedAsDuplicate
    )
    static let recordMessageAttach = Self(
        "record_message_attach",
        .post,
        "/records/{record}/inbox/{message}/attachments/{number}",
        body: .xml,
        .ok,
        "IndivoRecord.attach(_:to:number:)",
        repeated: .untilRefusedAsDuplicate
    )
    static let recordNotify = Self(
        "record_notify",
        .post,
        "/records/{record}/notifications/",
        body: .form,
        .ok,
        "IndivoRecord.notify(_:about:appURL:)"
    )

    // Reports.
    static let reportCCR = Self(
        "report_ccr",
        .get,
        "/records/{record}/reports/experimental/ccr",
        .element,
        "IndivoRecord.ccr()"
    )
    static let equipmentList = Self(
        "equipment_list",
        .get,
        "/records/{record}/reports/minimal/equipment/",
        query: .report,
        .reports,
        "IndivoRecord.equipment(matching:)"
    )
    static let measurementList = Self(
        "measurement_list",
        .get,
        "/records/{record}/reports/minimal/measurements/{code}/",
        query: .report,
        .reports,
        "IndivoRecord.measurements(_:matching:)"
    )
    static let procedureList = Self(
        "procedure_list",
        .get,
        "/records/{record}/reports/minimal/procedures/",
        query: .report,
        .reports,
        "IndivoRecord.procedures(matching:)"
    )
    static let simpleClinicalNotesList = Self(
        "simple_clinical_notes_list",
        .get,
        "/records/{record}/reports/minimal/simple-clinical-notes/",
        query: .report,
        .reports,
        "IndivoRecord.simpleClinicalNotes(matching:)"
    )
    static let genericList = Self(
        "generic_list",
        .get,
        "/records/{record}/reports/{model}/",
        query: .report,
        .models,
        "IndivoRecord.reports(of:matching:)",
        notFoundHint:
            "The server may not know the model, or the id may be wrong. A model is named as its class is, in "
            + "the singular: Medication, LabResult."
    )
    static let smartGeneric = Self(
        "smart_generic",
        .get,
        "/records/{record}/{model}/",
        .graph,
        "IndivoRecord.smart(_:)"
    )

    // Beyond the 41. Those on audits are kept by servers for old apps; `audit_query` does all that these do.
    static let auditRecordView = Self(
        "audit_record_view",
        .get,
        "/records/{record}/audits/",
        query: .paging,
        .reports,
        "IndivoRecord.call(_:_:query:body:)",
        deprecated: true
    )
    static let auditDocumentView = Self(
        "audit_document_view",
        .get,
        "/records/{record}/audits/documents/{document}/",
        query: .paging,
        .reports,
        "IndivoRecord.call(_:_:query:body:)",
        deprecated: true
    )
    static let auditFunctionView = Self(
        "audit_function_view",
        .get,
        "/records/{record}/audits/documents/{document}/functions/{function}/",
        query: .paging,
        .reports,
        "IndivoRecord.call(_:_:query:body:)",
        deprecated: true
    )

    static let smartAllergiesInstance = Self(
        "smart_allergies_instance",
        .get,
        "/records/{record}/allergies/{fact}",
        .graph,
        "IndivoRecord.smart(_:fact:)"
    )
    static let smartGenericInstance = Self(
        "smart_generic_instance",
        .get,
        "/records/{record}/{model}/{fact}",
        .graph,
        "IndivoRecord.smart(_:fact:)"
    )
}
