/// The calls beyond the 41: on a record, and on what is not a whole record.
extension IndivoCall {
    static let otherCalls = [
        auditRecordView, auditDocumentView, auditFunctionView, smartAllergiesInstance, smartGenericInstance,
        carenetRecord,
        carenetDemographics, carenetDocumentList, carenetDocument, carenetDocumentMeta, carenetEquipmentList,
        carenetMeasurementList, carenetProcedureList, carenetSimpleClinicalNotesList, carenetGenericList,
        carenetAccountList,
        carenetAppsList, appDocumentList, appDocumentCreate, appDocumentCreateOrUpdateByExternalID,
        appDocumentMetaByExternalID,
        appDocumentDelete, appSpecificDocument, appDocumentCreateOrUpdate, appDocumentLabel, appDocumentMeta,
        appRecordList,
        autonomousAccessToken, accountInfo, recordList, accountInbox, accountInboxMessage,
        accountMessageArchive,
        accountAttachmentAccept, accountNotifications, getUserPreferences, setUserPreferences,
        deleteUserPreferences, getVersion,
        allPHAs, allManifests, pha, appManifest, smartCapabilities, requestToken, exchangeToken,
    ]

    // What is shared through a carenet.
    static let carenetRecord = Self(
        "carenet_record",
        .get,
        "/carenets/{carenet}/record",
        .element,
        "IndivoCarenet.information()"
    )
    static let carenetDemographics = Self(
        "read_demographics_carenet",
        .get,
        "/carenets/{carenet}/demographics",
        query: .format,
        .models,
        "IndivoCarenet.demographics()",
        notFoundHint: "The demographics may not be shared in this carenet, or the record has none."
    )
    static let carenetDocumentList = Self(
        "carenet_document_list",
        .get,
        "/carenets/{carenet}/documents/",
        query: .paging,
        .documents,
        "IndivoCarenet.documents(pageSize:)"
    )
    static let carenetDocument = Self(
        "carenet_document",
        .get,
        "/carenets/{carenet}/documents/{document}",
        .content,
        "IndivoCarenet.content(of:)",
        notFoundHint: "The document may not be shared in this carenet."
    )
    static let carenetDocumentMeta = Self(
        "carenet_document_meta",
        .get,
        "/carenets/{carenet}/documents/{document}/meta",
        .metadata,
        "IndivoCarenet.metadata(of:)"
    )
    static let carenetEquipmentList = Self(
        "carenet_equipment_list",
        .get,
        "/carenets/{carenet}/reports/minimal/equipment/",
        query: .report,
        .reports,
        "IndivoCarenet.equipment(matching:)"
    )
    static let carenetMeasurementList = Self(
        "carenet_measurement_list",
        .get,
        "/carenets/{carenet}/reports/minimal/measurements/{code}/",
        query: .report,
        .reports,
        "IndivoCarenet.measurements(_:matching:)"
    )
    static let carenetProcedureList = Self(
        "carenet_procedure_list",
        .get,
        "/carenets/{carenet}/reports/minimal/procedures/",
        query: .report,
        .reports,
        "IndivoCarenet.procedures(matching:)"
    )
    static let carenetSimpleClinicalNotesList = Self(
        "carenet_simple_clinical_notes_list",
        .get,
        "/carenets/{carenet}/reports/minimal/simple-clinical-notes/",
        query: .report,
        .reports,
        "IndivoCarenet.simpleClinicalNotes(matching:)"
    )
    static let carenetGenericList = Self(
        "carenet_generic_list",
        .get,
        "/carenets/{carenet}/reports/{model}/",
        query: .report,
        .models,
        "IndivoCarenet.reports(of:matching:)"
    )
    static let carenetAccountList = Self(
        "carenet_account_list",
        .get,
        "/carenets/{carenet}/accounts/",
        .element,
        "IndivoCarenet.accounts()"
    )
    static let carenetAppsList = Self(
        "carenet_apps_list",
        .get,
        "/carenets/{carenet}/apps/",
        .json,
        "IndivoCarenet.apps()"
    )

    // What the app keeps for itself, whatever the record; and what an autonomous app may do.
    static let appDocumentList = Self(
        "app_document_list",
        .get,
        "/apps/{app}/documents/",
        as: .app,
        query: .documents,
        .documents,
        "AppDocuments.list(_:)"
    )
    static let appDocumentCreate = Self(
        "app_document_create",
        .post,
        "/apps/{app}/documents/",
        as: .app,
        body: .document,
        .metadata,
        "AppDocuments.add(_:)"
    )
    static let appDocumentCreateOrUpdateByExternalID = Self(
        "app_document_create_or_update_ext",
        .put,
        "/apps/{app}/documents/external/{external}",
        as: .app,
        body: .document,
        .metadata,
        "AppDocuments.put(_:externalID:)",
        repeated: .freely
    )
    static let appDocumentMetaByExternalID = Self(
        "app_document_meta_ext",
        .get,
        "/apps/{app}/documents/external/{external}/meta",
        as: .app,
        .metadata,
        "AppDocuments.document(externalID:)"
    )
    static let appDocumentDelete = Self(
        "app_document_delete",
        .delete,
        "/apps/{app}/documents/{document}",
        as: .app,
        .ok,
        "AppDocuments.Document.delete()"
    )
    static let appSpecificDocument = Self(
        "app_specific_document",
        .get,
        "/apps/{app}/documents/{document}",
        as: .app,
        .content,
        "AppDocuments.Document.content()"
    )
    static let appDocumentCreateOrUpdate = Self(
        "app_document_create_or_update",
        .put,
        "/apps/{app}/documents/{document}",
        as: .app,
        body: .document,
        .metadata,
        "AppDocuments.Document.replace(with:)"
    )
    static let appDocumentLabel = Self(
        "app_document_label",
        .put,
        "/apps/{app}/documents/{document}/label",
        as: .app,
        body: .text,
        .documents,
        "AppDocuments.Document.setLabel(_:)"
    )
    static let appDocumentMeta = Self(
        "app_document_meta",
        .get,
        "/apps/{app}/documents/{document}/meta",
        as: .app,
        .metadata,
        "AppDocuments.Document.refreshMetadata()"
    )
    static let appRecordList = Self(
        "app_record_list",
        .get,
        "/apps/{app}/records/",
        as: .app,
        .element,
        "IndivoServer.autonomousRecords()"
    )
    static let autonomousAccessToken = Self(
        "autonomous_access_token",
        .post,
        "/apps/{app}/records/{record}/access_token",
        as: .app,
        .token,
        "IndivoServer.autonomousRecord(_:)"
    )

    // The account that granted the token.
    static let accountInfo = Self(
        "account_info",
        .get,
        "/accounts/{account}",
        .element,
        "IndivoAccount.information()"
    )
    static let recordList = Self(
        "record_list",
        .get,
        "/accounts/{account}/records/",
        .element,
        "IndivoAccount.records()"
    )
    static let accountInbox = Self(
        "account_inbox",
        .get,
        "/accounts/{account}/inbox/",
        query: .own,
        .element,
        "IndivoAccount.inbox(includingArchived:)"
    )
    static let accountInboxMessage = Self(
        "account_inbox_message",
        .get,
        "/accounts/{account}/inbox/{message}",
        .element,
        "IndivoAccount.message(_:)"
    )
    static let accountMessageArchive = Self(
        "account_message_archive",
        .post,
        "/accounts/{account}/inbox/{message}/archive",
        .ok,
        "IndivoAccount.archive(_:)"
    )
    static let accountAttachmentAccept = Self(
        "account_inbox_message_attachment_accept",
        .post,
        "/accounts/{account}/inbox/{message}/attachments/{number}/accept",
        .ok,
        "IndivoAccount.acceptAttachment(_:of:)"
    )
    static let accountNotifications = Self(
        "account_notifications",
        .get,
        "/accounts/{account}/notifications/",
        .element,
        "IndivoAccount.notifications()"
    )
    static let getUserPreferences = Self(
        "get_user_preferences",
        .get,
        "/accounts/{account}/apps/{app}/preferences",
        .content,
        "IndivoAccount.preferences()"
    )
    static let setUserPreferences = Self(
        "set_user_preferences",
        .put,
        "/accounts/{account}/apps/{app}/preferences",
        body: .document,
        .metadata,
        "IndivoAccount.setPreferences(_:)"
    )
    static let deleteUserPreferences = Self(
        "delete_user_preferences",
        .delete,
        "/accounts/{account}/apps/{app}/preferences",
        .ok,
        "IndivoAccount.deletePreferences()"
    )

    // What anyone may ask.
    static let getVersion = Self(
        "get_version",
        .get,
        "/version",
        as: .nobody,
        .text,
        "IndivoServer.version()"
    )
    static let allPHAs = Self("all_phas", .get, "/apps/", as: .nobody, .json, "IndivoServer.apps()")
    static let allManifests = Self(
        "all_manifests",
        .get,
        "/apps/manifests/",
        as: .nobody,
        .json,
        "IndivoServer.manifests()"
    )
    static let pha = Self("pha", .get, "/apps/{app}", as: .nobody, .json, "IndivoServer.app(_:)")
    static let appManifest = Self(
        "app_manifest",
        .get,
        "/apps/{app}/manifest",
        as: .nobody,
        .json,
        "IndivoServer.manifest(ofApp:)"
    )
    static let smartCapabilities = Self(
        "smart_capabilities",
        .get,
        "/capabilities/",
        as: .nobody,
        .json,
        "IndivoServer.capabilities()"
    )

    // Logging in.
    static let requestToken = Self(
        "request_token",
        .post,
        "/oauth/request_token",
        as: .app,
        body: .form,
        .token,
        "IndivoServer.selectRecord(callback:open:)"
    )
    static let exchangeToken = Self(
        "exchange_token",
        .post,
        "/oauth/access_token",
        as: .app,
        .token,
        "IndivoServer.selectRecord(callback:open:)"
    )
}
