/// The 41 calls on a record that are open to a user app, by their numbers.
extension IndivoCall {
    static let recordCalls = [
        record, smartAllergies, recordAppDocumentList, recordAppDocumentCreate, recordAppDocumentCreateOrUpdateByExternalID,
        recordAppDocumentMetaByExternalID, recordAppDocumentDelete, recordAppSpecificDocument, recordAppDocumentLabel,
        recordAppDocumentMeta, auditQuery, readDemographics, setDemographics, recordDocumentList, documentCreate,
        documentCreateByExternalID, recordDocumentLabelByExternalID, recordDocumentMetaByExternalID, documentRels,
        recordSpecificDocument, documentCarenets, recordDocumentLabel, recordDocumentMeta, getDocumentsByRel, documentCreateByRel,
        documentCreateByRelWithExternalID, documentVersion, documentVersionByExternalID, documentSetStatus, documentStatusHistory,
        documentVersions, recordSendMessage, recordMessageAttach, recordNotify, reportCCR, equipmentList, measurementList,
        procedureList, simpleClinicalNotesList, genericList, smartGeneric,
    ]

    static let record = IndivoCall(1, "record", .get, "/records/{record}", .element, "IndivoRecord.information()")
    static let smartAllergies = IndivoCall(2, "smart_allergies", .get,
        "/records/{record}/allergies/", .graph, "IndivoRecord.smart(_:)")

    // What the app keeps in the record for itself.
    static let recordAppDocumentList = IndivoCall(3, "record_app_document_list", .get,
        "/records/{record}/apps/{app}/documents/", query: .documents, .documents, "AppDocuments.list(_:)")
    static let recordAppDocumentCreate = IndivoCall(4, "record_app_document_create", .post,
        "/records/{record}/apps/{app}/documents/", body: .document, .metadata, "AppDocuments.add(_:)")
    static let recordAppDocumentCreateOrUpdateByExternalID = IndivoCall(5, "record_app_document_create_or_update_ext", .put,
        "/records/{record}/apps/{app}/documents/external/{external}", body: .document, .metadata, "AppDocuments.put(_:externalID:)",
        repeated: .freely)
    static let recordAppDocumentMetaByExternalID = IndivoCall(6, "record_app_document_meta_ext", .get,
        "/records/{record}/apps/{app}/documents/external/{external}/meta", .metadata, "AppDocuments.document(externalID:)")
    static let recordAppDocumentDelete = IndivoCall(7, "record_app_document_delete", .delete,
        "/records/{record}/apps/{app}/documents/{document}", .ok, "AppDocuments.Document.delete()")
    static let recordAppSpecificDocument = IndivoCall(8, "record_app_specific_document", .get,
        "/records/{record}/apps/{app}/documents/{document}", .content, "AppDocuments.Document.content()")
    static let recordAppDocumentLabel = IndivoCall(9, "record_app_document_label", .put,
        "/records/{record}/apps/{app}/documents/{document}/label", body: .text, .documents, "AppDocuments.Document.setLabel(_:)")
    static let recordAppDocumentMeta = IndivoCall(10, "record_app_document_meta", .get,
        "/records/{record}/apps/{app}/documents/{document}/meta", .metadata, "AppDocuments.Document.refreshMetadata()")

    static let auditQuery = IndivoCall(11, "audit_query", .get,
        "/records/{record}/audits/query/", query: .report, .reports, "IndivoRecord.audit(matching:)")
    static let readDemographics = IndivoCall(12, "read_demographics", .get,
        "/records/{record}/demographics", query: .format, .models, "IndivoRecord.demographics()",
        notFoundHint: "The record may have no demographics yet: set them with setDemographics(_:).")
    static let setDemographics = IndivoCall(13, "set_demographics", .put,
        "/records/{record}/demographics", body: .xml, .metadata, "IndivoRecord.setDemographics(_:)")

    // Documents.
    static let recordDocumentList = IndivoCall(14, "record_document_list", .get,
        "/records/{record}/documents/", query: .documents, .documents, "IndivoRecord.documents(_:)")
    static let documentCreate = IndivoCall(15, "document_create", .post,
        "/records/{record}/documents/", body: .document, .metadata, "IndivoRecord.add(_:externalID:validation:)")
    static let documentCreateByExternalID = IndivoCall(16, "document_create_by_ext_id", .put,
        "/records/{record}/documents/external/{app}/{external}", body: .document, .metadata,
        "IndivoRecord.add(_:externalID:validation:)", repeated: .afterLookingUp)
    static let recordDocumentLabelByExternalID = IndivoCall(17, "record_document_label_ext", .put,
        "/records/{record}/documents/external/{app}/{external}/label", body: .text, .documents,
        "IndivoRecord.setLabel(_:externalID:)", repeated: .freely)
    static let recordDocumentMetaByExternalID = IndivoCall(18, "record_document_meta_ext", .get,
        "/records/{record}/documents/external/{app}/{external}/meta", .metadata, "IndivoRecord.documentMetadata(externalID:)")
    static let documentRels = IndivoCall(19, "document_rels", .put,
        "/records/{record}/documents/{document}/rels/{relation}/{other}", .ok, "RecordDocument.relate(to:as:)")
    static let recordSpecificDocument = IndivoCall(20, "record_specific_document", .get,
        "/records/{record}/documents/{document}", .content, "IndivoRecord.document(_:)")
    static let documentCarenets = IndivoCall(21, "document_carenets", .get,
        "/records/{record}/documents/{document}/carenets/", .element, "RecordDocument.carenets()")
    static let recordDocumentLabel = IndivoCall(22, "record_document_label", .put,
        "/records/{record}/documents/{document}/label", body: .text, .documents, "RecordDocument.setLabel(_:)")
    static let recordDocumentMeta = IndivoCall(23, "record_document_meta", .get,
        "/records/{record}/documents/{document}/meta", .metadata, "RecordDocument.refreshMetadata()")
    static let getDocumentsByRel = IndivoCall(24, "get_documents_by_rel", .get,
        "/records/{record}/documents/{document}/rels/{relation}/", query: .status, .documents, "RecordDocument.related(as:status:)")
    static let documentCreateByRel = IndivoCall(25, "document_create_by_rel", .post,
        "/records/{record}/documents/{document}/rels/{relation}/", body: .document, .metadata,
        "RecordDocument.addRelated(_:as:externalID:validation:)")
    static let documentCreateByRelWithExternalID = IndivoCall(26, "document_create_by_rel_with_ext_id", .put,
        "/records/{record}/documents/{document}/rels/{relation}/external/{app}/{external}", body: .document, .metadata,
        "RecordDocument.addRelated(_:as:externalID:validation:)", repeated: .afterLookingUp)
    static let documentVersion = IndivoCall(27, "document_version", .post,
        "/records/{record}/documents/{document}/replace", body: .document, .metadata,
        "RecordDocument.replace(externalID:validation:)", notFoundHint: refusedContent)
    static let documentVersionByExternalID = IndivoCall(28, "document_version_by_ext_id", .put,
        "/records/{record}/documents/{document}/replace/external/{app}/{external}", body: .document, .metadata,
        "RecordDocument.replace(externalID:validation:)", repeated: .afterLookingUp, notFoundHint: refusedContent)
    static let documentSetStatus = IndivoCall(29, "document_set_status", .post,
        "/records/{record}/documents/{document}/set-status", body: .form, .ok, "RecordDocument.setStatus(_:reason:)")
    static let documentStatusHistory = IndivoCall(30, "document_status_history", .get,
        "/records/{record}/documents/{document}/status-history", .element, "RecordDocument.statusHistory()")
    static let documentVersions = IndivoCall(31, "document_versions", .get,
        "/records/{record}/documents/{document}/versions/", query: .documents, .documents, "RecordDocument.versions(status:)")

    private static let refusedContent =
        "The server says 404 also when it refuses the new content: compare it with what the model allows."

    // Messages.
    static let recordSendMessage = IndivoCall(32, "record_send_message", .post,
        "/records/{record}/inbox/{message}", body: .form, .ok, "IndivoRecord.send(_:)", repeated: .untilRefusedAsDuplicate)
    static let recordMessageAttach = IndivoCall(33, "record_message_attach", .post,
        "/records/{record}/inbox/{message}/attachments/{number}", body: .xml, .ok, "IndivoRecord.attach(_:to:number:)",
        repeated: .untilRefusedAsDuplicate)
    static let recordNotify = IndivoCall(34, "record_notify", .post,
        "/records/{record}/notifications/", body: .form, .ok, "IndivoRecord.notify(_:about:appURL:)")

    // Reports.
    static let reportCCR = IndivoCall(35, "report_ccr", .get,
        "/records/{record}/reports/experimental/ccr", .element, "IndivoRecord.ccr()")
    static let equipmentList = IndivoCall(36, "equipment_list", .get,
        "/records/{record}/reports/minimal/equipment/", query: .report, .reports, "IndivoRecord.equipment(matching:)")
    static let measurementList = IndivoCall(37, "measurement_list", .get,
        "/records/{record}/reports/minimal/measurements/{code}/", query: .report, .reports,
        "IndivoRecord.measurements(_:matching:)")
    static let procedureList = IndivoCall(38, "procedure_list", .get,
        "/records/{record}/reports/minimal/procedures/", query: .report, .reports, "IndivoRecord.procedures(matching:)")
    static let simpleClinicalNotesList = IndivoCall(39, "simple_clinical_notes_list", .get,
        "/records/{record}/reports/minimal/simple-clinical-notes/", query: .report, .reports,
        "IndivoRecord.simpleClinicalNotes(matching:)")
    static let genericList = IndivoCall(
        40, "generic_list", .get, "/records/{record}/reports/{model}/", query: .report, .models,
        "IndivoRecord.reports(of:matching:)",
        notFoundHint: "The server may not know the model, or the id may be wrong. A model is named as its class is, in "
            + "the singular: Medication, LabResult.")
    static let smartGeneric = IndivoCall(41, "smart_generic", .get, "/records/{record}/{model}/", .graph, "IndivoRecord.smart(_:)")
}

/// The calls on a record beyond the 41.
extension IndivoCall {
    // Kept by servers for old apps; `audit_query` does all that these do.
    static let auditRecordView = IndivoCall(nil, "audit_record_view", .get,
        "/records/{record}/audits/", query: .paging, .reports, "IndivoRecord.call(_:_:query:body:)", deprecated: true)
    static let auditDocumentView = IndivoCall(nil, "audit_document_view", .get,
        "/records/{record}/audits/documents/{document}/", query: .paging, .reports, "IndivoRecord.call(_:_:query:body:)",
        deprecated: true)
    static let auditFunctionView = IndivoCall(nil, "audit_function_view", .get,
        "/records/{record}/audits/documents/{document}/functions/{function}/", query: .paging, .reports,
        "IndivoRecord.call(_:_:query:body:)", deprecated: true)

    static let smartAllergiesInstance = IndivoCall(nil, "smart_allergies_instance", .get,
        "/records/{record}/allergies/{fact}", .graph, "IndivoRecord.smart(_:fact:)")
    static let smartGenericInstance = IndivoCall(nil, "smart_generic_instance", .get,
        "/records/{record}/{model}/{fact}", .graph, "IndivoRecord.smart(_:fact:)")
}
